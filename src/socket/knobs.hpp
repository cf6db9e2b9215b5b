// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Settings of the data path that come from the environment, read once for the process.
//
// A variable with a transport's name behind it (_TCP, _IPC, _INPROC) beats the plain one; ZMQ_IN_BATCH_SIZE and
// ZMQ_OUT_BATCH_SIZE set on a socket beat both. A value that is not a positive decimal number counts as not set.
#pragma once

#include "engine/connection_options.hpp"
#include "shm/budget.hpp"
#include "transport/transport.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zlink::socket {

using transport::data_path_settings;

/// One variable as zlink_knob() shows it.
struct knob_row {
    std::string name;
    std::string value;  ///< in force unless a socket option beats it
    std::string default_value;
    std::string source;  ///< "default" or "environment": this variable, or the plain one for a transport's
    std::string description;
};

/// Immutable once built, so any thread may read it. One idea: constants of the process, one for each variable.
class knobs {
public:
#ifdef NDEBUG
    static constexpr bool is_debug_build = false;
#else
    static constexpr bool is_debug_build = true;
#endif

    /// Answers like std::getenv: null for a variable that is not set.
    using environment = std::function<const char*(const char* name)>;

    explicit knobs(const environment& lookup);

    [[nodiscard]] data_path_settings settings_for(const transport::transport& over) const noexcept;

    bool force_fences() const noexcept { return force_fences_; }  ///< ZLINK_FENCES=1: fences instead of membarrier
    bool inline_io() const noexcept { return inline_io_; }        ///< ZLINK_INLINE=0: off
    bool spin() const noexcept { return spin_; }                  ///< ZLINK_SPIN=0: no yielding before sleep
    /// ZLINK_CHECK_THREADS=1: two threads inside calls on one socket are found out
    bool check_threads() const noexcept { return check_threads_; }

    /// ZLINK_STATS: where statistics are served to other processes; empty: nowhere
    const std::string& stats_place() const noexcept { return stats_place_; }

    /// ZLINK_SHM=0: none, bodies go through sockets alone. ZLINK_SHM_MIN, ZLINK_SHM_MAX: octets
    const std::optional<shm::settings>& shared_bodies() const noexcept { return shared_bodies_; }

    bool crypto_simd() const noexcept { return crypto_simd_; }  ///< ZLINK_CRYPTO_SIMD=0: boxes by libsodium alone

    /// Every variable, those of a transport after their plain one.
    const std::vector<knob_row>& rows() const noexcept { return rows_; }

private:
    std::vector<data_path_settings> settings_;  ///< as transport::transports()
    bool force_fences_ = false;
    bool inline_io_ = true;
    bool spin_ = true;
    bool check_threads_ = is_debug_build;
    bool crypto_simd_ = true;
    std::optional<shm::settings> shared_bodies_ = shm::settings{};
    std::string stats_place_;
    std::vector<knob_row> rows_;
};

/// The knobs of this process: the environment is read by the first call (at the first context's creation at the
/// latest) and never again. Never destroyed. The first call may throw bad_alloc.
[[nodiscard]] const knobs& process_knobs();

/// The settings of a connection of this transport: the process's knobs, beaten by the socket's explicit options.
[[nodiscard]] data_path_settings settings_for(const transport::transport& over);
[[nodiscard]] data_path_settings settings_for(const transport::transport& over,
                                              const engine::connection_options& explicit_options);

}  // namespace zlink::socket
