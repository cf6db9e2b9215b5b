// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which connections share bodies.
#include "engine/connection/body_sharing.hpp"

#include "engine/connection/framing.hpp"
#include "path_fixture.hpp"
#include "shm/layout.hpp"
#include "unit/engine/stream_fixture.hpp"

#include <memory>

namespace zlink::engine::test {
namespace {

/// Of a peer of the same user.
class near_stream final : public scripted_stream {
public:
    bool near = true;

    [[nodiscard]] bool passes_descriptors() const noexcept override { return near; }
};

std::shared_ptr<shm::budget> some_memory()
{
    return std::make_shared<shm::budget>(shm::settings{.least = 1000, .most = 1 << 20});
}

zmtp::remote_peer sharing_peer()
{
    zmtp::remote_peer peer;
    peer.properties.emplace_back("x-ZLINK-shm", "1");  // names compare without case
    return peer;
}

class body_sharing_agreement_test : public testing::Test {
protected:
    body_sharing_agreement_test() { options_.shared_bodies = some_memory(); }

    session_options options_;
    near_stream stream_;
};

TEST_F(body_sharing_agreement_test, is_between_two_that_can)
{
    EXPECT_TRUE(offers_shared_bodies(options_, stream_));
    EXPECT_TRUE(agrees_on_shared_bodies(options_, stream_, sharing_peer()));
}

TEST_F(body_sharing_agreement_test, needs_a_peer_that_says_so_in_this_version)
{
    EXPECT_FALSE(agrees_on_shared_bodies(options_, stream_, {}));
    zmtp::remote_peer other = sharing_peer();
    other.properties[0].second = "2";
    EXPECT_FALSE(agrees_on_shared_bodies(options_, stream_, other));
    zmtp::remote_peer old = sharing_peer();
    old.version = zmtp::protocol_version::zmtp_2_0;
    EXPECT_FALSE(agrees_on_shared_bodies(options_, stream_, old));
}

TEST_F(body_sharing_agreement_test, needs_a_stream_that_passes_descriptors)
{
    stream_.near = false;
    EXPECT_FALSE(offers_shared_bodies(options_, stream_));
    EXPECT_FALSE(agrees_on_shared_bodies(options_, stream_, sharing_peer()));
}

TEST_F(body_sharing_agreement_test, is_not_for_curve_raw_sockets_and_where_it_is_switched_off)
{
    auto curve = std::make_shared<zmtp::security_settings>();
    curve->mechanism = zmtp::mechanism_kind::curve;
    options_.security = curve;
    EXPECT_FALSE(offers_shared_bodies(options_, stream_));
    options_.security = nullptr;
    options_.raw = true;
    EXPECT_FALSE(offers_shared_bodies(options_, stream_));
    options_.raw = false;
    options_.shared_bodies = nullptr;
    EXPECT_FALSE(offers_shared_bodies(options_, stream_));
    EXPECT_FALSE(agrees_on_shared_bodies(options_, stream_, sharing_peer()));
}

TEST_F(body_sharing_agreement_test, a_plain_stream_passes_none)
{
    scripted_stream plain;
    EXPECT_FALSE(plain.passes_descriptors());
    EXPECT_EQ(transport::io_outcome::status::failed, plain.write_with_descriptor({}, 0).state);
    EXPECT_FALSE(plain.take_descriptor());
}

}  // namespace
}  // namespace zlink::engine::test
