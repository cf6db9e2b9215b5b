// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_ctx_*(), and the older names of the same functions.
#include "base/last_error.hpp"
#include "c_api/handles.hpp"
#include "runtime/deadline.hpp"
#include "stats/service.hpp"

#include <zlink.h>

using namespace zlink;
using namespace zlink::c_api;

namespace {

constexpr explanation of_options[] = {
    {EINVAL,
     "the context has no such option, or it takes no such value, or has no room for it; ZMQ_IO_THREADS and others "
     "come before the first socket"},
};

int end_until(socket::context& c, const runtime::deadline& until)
{
    const bool made_here = c.made_here();
    const errc outcome = c.terminate_until(until);
    if (outcome == errc::none && made_here) stats::context_ended();
    return answer(outcome);
}

}  // namespace

void* zmq_ctx_new(void)
{
    const cancellation_held_off hold;
    socket::context* made = socket::context::create();
    if (!made) {
        set_errno(ENOMEM);
    } else {
        stats::context_begun();
    }
    return made;
}

int zmq_ctx_term(void* handle)
{
    socket::context* c = as_context(handle);
    return c ? end_until(*c, {}) : -1;
}

int zlink_ctx_term(void* handle, int timeout_ms)
{
    socket::context* c = as_context(handle);
    if (!c) return -1;
    forget_words();
    return end_until(*c, runtime::deadline_after(timeout_ms));
}

int zmq_ctx_shutdown(void* handle)
{
    socket::context* c = as_context(handle);
    if (!c) return -1;
    c->shutdown();
    return 0;
}

int zmq_ctx_set(void* handle, int option, int value)
{
    socket::context* c = as_context(handle);
    return c ? explained(guarded([&] { return c->set(option, value); }), of_options) : -1;
}

int zmq_ctx_get(void* handle, int option)
{
    socket::context* c = as_context(handle);
    if (!c) return -1;
    int value = 0;
    return explained(guarded([&] { return c->get(option, value); }), of_options) == 0 ? value : -1;
}

int zmq_ctx_set_ext(void* handle, int option, const void* value, size_t size)
{
    socket::context* c = as_context(handle);
    if (!c) return -1;
    if (!value && size) return fail(EINVAL, "value is NULL");
    return explained(guarded([&] { return c->set(option, value, size); }), of_options);
}

int zmq_ctx_get_ext(void* handle, int option, void* value, size_t* size)
{
    socket::context* c = as_context(handle);
    if (!c) return -1;
    if (!value || !size) return fail(EINVAL, "value or size is NULL");
    return explained(guarded([&] { return c->get(option, value, size); }), of_options);
}

void* zmq_init(int io_threads)
{
    if (io_threads < 0) {
        set_errno(EINVAL);
        return nullptr;
    }
    void* made = zmq_ctx_new();
    if (made && zmq_ctx_set(made, ZMQ_IO_THREADS, io_threads) != 0) {
        const int error = errno;
        zmq_ctx_term(made);
        set_errno(error);
        return nullptr;
    }
    return made;
}

int zmq_term(void* handle)
{
    return zmq_ctx_term(handle);
}

int zmq_ctx_destroy(void* handle)
{
    return zmq_ctx_term(handle);
}
