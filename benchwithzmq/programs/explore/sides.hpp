// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The sockets and threads of one process of a workload: the front, the back with its proxy, or all of them.
#pragma once

#include "explore/actors.hpp"
#include "explore/board.hpp"
#include "explore/workload.hpp"
#include "harness/small_thread.hpp"

#include <memory>
#include <string>
#include <vector>

namespace explore {

class process {
public:
    // Makes the sockets, binds and connects them (waits for endpoints of the other process), and starts the threads.
    process(const workload& of, board& with, bool has_front, bool has_back);
    // Ends the context and waits for the threads.
    ~process();
    process(const process&) = delete;
    process& operator=(const process&) = delete;

private:
    void make_proxy();
    void make_side(bool front);
    [[nodiscard]] void* make_socket(int type);
    void bind(void* socket, unsigned list);
    void connect(void* socket, unsigned list, unsigned endpoints);
    void set_side_options(void* socket, bool front, unsigned number);
    void start(bool front, const std::vector<void*>& sockets);

    const workload& of_;
    board& with_;
    void* context_;
    std::vector<void*> sockets_;
    std::vector<std::string> files_;
    std::vector<std::unique_ptr<post>> posts_;
    std::vector<std::unique_ptr<bench::small_thread>> threads_;
};

}  // namespace explore
