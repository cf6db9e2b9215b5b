/* SPDX-License-Identifier: MPL-2.0 */
/* SPDX-FileCopyrightText: 2026 the zlink authors */

#include <zlink/zlink.h>
#include <zlink/zmq.h>
/* Whatever comes later and includes zmq.h itself, such as cppzmq, gets the same names. */
#include <zlink/zmq_utils.h>

#include "side.inc"

#define TEXT(words) #words
#define SPELT(name) TEXT(name)

/* zlink's own functions are those of the same library, whatever libzmq.so.5 the process has besides. */
static int fails_in_words(void)
{
    return fails() && strcmp(SPELT(zlink_last_error), "zlink_zlink_last_error") == 0 && strlen(zlink_last_error()) > 0;
}

const struct side prefixed_side = {version, start, end, serve, ask, answer, was_answered, close_socket, fails_in_words};
