/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

/**
 * @file zmq_utils.h
 * @deprecated Stopwatch, sleep, threads, counters and Z85 are declared by zmq.h. This header is kept for programs that
 * still include it.
 */
#ifndef __ZMQ_UTILS_H_INCLUDED__
#define __ZMQ_UTILS_H_INCLUDED__

#include "zmq.h"

#endif
