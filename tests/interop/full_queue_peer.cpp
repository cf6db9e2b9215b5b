// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Fills a socket's queue and prints how many messages it took and by how many KiB the process grew. Arguments: the
// endpoint, the size of a message, and the high-water mark. An inproc endpoint has a receiver that does not read, any
// other one a peer that does not answer.
#include <zmq.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

namespace {

long resident_kib()
{
    long total = 0;
    long resident = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) {
            resident = 0;
        }
        std::fclose(file);
    }
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 4) {
        return EXIT_FAILURE;
    }
    const std::string endpoint = argv[1];
    const std::string body(std::strtoul(argv[2], nullptr, 10), 'x');
    const int hwm = std::atoi(argv[3]);
    const int least = 1;
    const int none = 0;
    void* context = zmq_ctx_new();
    void* sender = zmq_socket(context, ZMQ_PUSH);
    void* receiver = zmq_socket(context, ZMQ_PULL);
    zmq_setsockopt(sender, ZMQ_SNDHWM, &hwm, sizeof hwm);
    zmq_setsockopt(sender, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(receiver, ZMQ_RCVHWM, &least, sizeof least);
    if (endpoint.starts_with("inproc") && zmq_bind(receiver, endpoint.c_str()) != 0) {
        return EXIT_FAILURE;
    }
    if (zmq_connect(sender, endpoint.c_str()) != 0) {
        return EXIT_FAILURE;
    }
    const long before = resident_kib();
    int taken = 0;
    while (zmq_send(sender, body.data(), body.size(), ZMQ_DONTWAIT) >= 0) {
        ++taken;
    }
    std::printf("%d %ld\n", taken, resident_kib() - before);
    zmq_close(receiver);
    zmq_close(sender);
    zmq_ctx_term(context);
}
