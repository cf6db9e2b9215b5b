// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Looks at idle connections: which chunks are given up, when the looks end, and what is not touched.
#include "engine/idle_trimmer.hpp"

#include "base/asymmetric_fence.hpp"
#include "unit/engine/connection/path_fixture.hpp"
#include "unit/engine/stream_fixture.hpp"

namespace zlink::engine::test {
namespace {

class idle_trimmer_test : public path_fixture {
protected:
    idle_trimmer_test()
    {
        asymmetric_fence::initialise(false);  // without a barrier no chunk can be left
        end_.reader.begin_octets();
    }
    ~idle_trimmer_test() override { trimmer_.forget(end_); }

    /// The lane gets a large chunk, and is read to its end.
    void burst()
    {
        for (int i = 0; i < 20; ++i) {
            send({pattern_of(4000)});
            take();
        }
        ASSERT_LT(idle_trimmer::small_chunk, end_.reader.chunk_size());
    }
    void take()
    {
        connection_writer writer = make_writer(at_.frames, options_, at_.version, stream_, nullptr);
        pipe::owed_credit credit(&end_);
        while (writer.write_once(stream_, end_.reader, credit) == connection_writer::outcome::more) {
        }
        credit.add(end_.reader.commit(0));
    }

    idle_trimmer trimmer_{worker_.loop()};
};

TEST_F(idle_trimmer_test, wants_a_connection_with_a_large_chunk_once)
{
    EXPECT_FALSE(idle_trimmer::wants(end_)) << "there was no burst";
    burst();
    EXPECT_TRUE(idle_trimmer::wants(end_));
    EXPECT_FALSE(idle_trimmer::wants(end_));
    trimmer_.forget(end_);
    EXPECT_TRUE(idle_trimmer::wants(end_)) << "again, after it was dropped";
}

TEST_F(idle_trimmer_test, a_connection_that_stands_still_leaves_its_chunk)
{
    burst();
    ASSERT_TRUE(idle_trimmer::wants(end_));
    trimmer_.add(end_);
    EXPECT_TRUE(run_until([&] { return !end_.idle.is_watched(); }));
    EXPECT_FALSE(end_.idle.has_place());
    EXPECT_GE(idle_trimmer::small_chunk, end_.reader.chunk_size());
    send({"message"});
    stream_.output.clear();
    take();
    EXPECT_EQ(encode({"message"}), stream_.output) << "it goes on in another";
}

TEST_F(idle_trimmer_test, is_told_of_a_connection_by_an_application_once)
{
    trimmer_.add_if_unknown(end_);
    EXPECT_FALSE(end_.idle.has_place()) << "it has been dropped meanwhile";
    burst();
    ASSERT_TRUE(idle_trimmer::wants(end_));
    trimmer_.add_if_unknown(end_);
    ASSERT_TRUE(end_.idle.has_place());
    EXPECT_EQ(0u, end_.idle.place());
    trimmer_.add_if_unknown(end_);
    ASSERT_TRUE(end_.idle.has_place());
    EXPECT_EQ(0u, end_.idle.place());
}

TEST_F(idle_trimmer_test, a_connection_that_is_forgotten_leaves_its_place_to_another)
{
    pipe::pipe& other = make_pipe(hwm);
    other.second().attach(*queue_);
    host_.adopt(other.first());
    trimmer_.add(end_);
    trimmer_.add(other.second());
    ASSERT_TRUE(end_.idle.has_place());
    EXPECT_EQ(0u, end_.idle.place());
    ASSERT_TRUE(other.second().idle.has_place());
    EXPECT_EQ(1u, other.second().idle.place());
    trimmer_.forget(end_);
    EXPECT_FALSE(end_.idle.has_place());
    ASSERT_TRUE(other.second().idle.has_place());
    EXPECT_EQ(0u, other.second().idle.place());
    trimmer_.forget(other.second());
    EXPECT_FALSE(other.second().idle.has_place());
    (void)other.second().close();
}

}  // namespace
}  // namespace zlink::engine::test
