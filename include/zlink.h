/**
 * @file zlink.h
 * What zlink offers beyond the API of zmq.h: its own version and a list of its tuning knobs.
 */
#ifndef ZLINK_H_INCLUDED
#define ZLINK_H_INCLUDED

#include <stddef.h>

#if defined __GNUC__
#define ZLINK_EXPORT __attribute__((visibility("default")))
#else
#define ZLINK_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ZLINK_VERSION_MAJOR 0
#define ZLINK_VERSION_MINOR 1
#define ZLINK_VERSION_PATCH 0

/** Stores zlink's own version (zmq_version() tells that of its API); NULL pointers are passed over. */
ZLINK_EXPORT void zlink_version(int* major, int* minor, int* patch);

/** One tuning knob: an environment variable that sets a default of new contexts and sockets. */
typedef struct zlink_knob_t {
    const char* name;          /**< Name of the environment variable. */
    const char* value;         /**< Value in force in this process. */
    const char* default_value; /**< Value if nobody sets it. */
    const char* source;        /**< Where `value` comes from: "default", "environment" or "option". */
    const char* description;   /**< One line: meaning and unit. */
} zlink_knob_t;

/**
 * Describes knob number `index`, counted from 0 without gaps. The texts belong to the library and stay valid while it
 * is loaded. Returns 0; fails with -1 and EINVAL past the last knob, EFAULT if `knob` is NULL. Any thread may call it.
 */
ZLINK_EXPORT int zlink_knob(size_t index, zlink_knob_t* knob);

#undef ZLINK_EXPORT

#ifdef __cplusplus
}
#endif

#endif
