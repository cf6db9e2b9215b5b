// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Replies of a ZAP handler in tests.
#pragma once

#include "unit/zmtp/octets.hpp"
#include "zmtp/mechanism/mechanism.hpp"

#include <string>
#include <vector>

namespace zlink::zmtp::test {

/// Owns the frames of a reply.
class zap_frames {
public:
    explicit zap_frames(std::vector<octets> frames, std::string request_id = "1")
        : frames_(std::move(frames)),
          request_id_(std::move(request_id))
    {
        for (const octets& frame : frames_) views_.emplace_back(frame);
    }

    zap_frames(const zap_frames&) = delete;
    zap_frames& operator=(const zap_frames&) = delete;

    [[nodiscard]] zap_reply reply() const { return {views_, request_id_}; }

private:
    std::vector<octets> frames_;
    std::string request_id_;
    std::vector<zap_frame> views_;
};

inline std::vector<octets> zap_reply_of(const std::string& status, const std::string& user_id = "",
                                        const octets& metadata = {})
{
    return {{}, wire({"1.0"}), wire({"1"}), wire({status}), wire({"text"}), wire({user_id}), metadata};
}

}  // namespace zlink::zmtp::test
