/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

#include <zmq.h>

#include "side.inc"

const struct side plain_side = SIDE_IS;
