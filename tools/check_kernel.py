#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Checks that src/ asks the kernel by way of runtime/ alone, and for connections by way of transport/.

No other folder calls, with or without a leading ::, what tells the time, sleeps, waits, wakes, starts a thread, or
works on a descriptor. None includes the headers that declare such calls. A name that a folder declares as a function of
its own is that function where it is called without ::. EXCEPTIONS says what else there is, and why.

    check_kernel.py [<root of the source tree>]

Prints a line per violation; exit status 1 if there is one.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_includes import without_comments  # noqa: E402

# --- what is called ---------------------------------------------------------------------------------------------------

TIME = """clock_gettime clock_getres clock_nanosleep clock_getcpuclockid gettimeofday ftime time nanosleep usleep sleep sleep_for
    sleep_until alarm ualarm setitimer timer_create timer_settime timerfd_create timerfd_settime timerfd_gettime
    pthread_getcpuclockid getrusage times clock"""
WAITING = """syscall futex futex_wait futex_wake epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 poll ppoll
    select pselect eventfd eventfd_read eventfd_write signalfd sigwait sigwaitinfo sigtimedwait sigsuspend pause sem_wait
    sem_timedwait sem_post io_uring_enter"""
THREADS = """pthread_create pthread_join pthread_detach pthread_kill pthread_sigmask sigprocmask pthread_cond_wait
    pthread_cond_timedwait pthread_cond_signal pthread_setaffinity_np pthread_setschedparam pthread_setname_np sched_yield
    sched_getaffinity sched_setaffinity sched_getcpu sched_setscheduler setpriority"""
CONNECTIONS = """socket socketpair bind listen accept accept4 connect shutdown getsockopt setsockopt getsockname getpeername send sendto
    sendmsg sendmmsg recv recvfrom recvmsg recvmmsg read readv pread preadv write writev pwrite pwritev sendfile splice close dup dup2
    dup3 open openat pipe pipe2 ioctl fcntl getaddrinfo getnameinfo getifaddrs if_nametoindex unlink stat lstat fstat chmod rename
    mkdir rmdir mkdtemp"""
OTHERS = "mmap munmap madvise mprotect mremap sysconf getpid gettid fork vfork kill pthread_atfork getauxval getrandom getentropy"

CLOCK = re.compile(r"\b(?:steady|system|high_resolution|file|utc|tai|gps)_clock\s*::\s*now\b")
CLOCK_ALIAS = re.compile(r"\busing\s+(?:\w+\s*=\s*)?std::chrono::\w+_clock\s*;")
STANDARD = re.compile(r"\bstd::(?:this_thread::\w+|thread\b|jthread\b|async\b|condition_variable\w*|counting_semaphore|"
                      r"binary_semaphore|time\b|clock\b|timespec_get)|\bSYS_\w+")
# `return f(` and the like are calls, not declarations.
WORDS_BEFORE_A_CALL = {"return", "else", "do", "throw", "co_return", "co_await", "co_yield", "case", "and", "or", "not"}
DECLARATION = re.compile(r"(?P<type>[\w>]+)[\s&*]+(?P<name>[a-z_]\w*)\s*\(")
CLASS = re.compile(r"\b(?:class|struct)\s+([a-z_]\w*)")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')

# --- what is included -------------------------------------------------------------------------------------------------

HEADERS = re.compile(r"^(?:boost/.*|asio/.*|asio\.hpp|unistd\.h|fcntl\.h|poll\.h|sched\.h|pthread\.h|time\.h|ctime|thread|condition_variable|semaphore|future|"
                     r"signal\.h|csignal|sys/.*|linux/.*|net/.*|netinet/.*|netdb\.h|arpa/.*|ifaddrs\.h|dirent\.h)$")
# Headers that the folder may see for the sake of plain types, constants and conversions.
TYPES = {
    "iovec, a pair of plain values": ("*", {"sys/uio.h"}),
    "pollfd and sigset_t, which programs hand in": ("socket", {"poll.h", "signal.h"}),
    "pollfd, which the thread that waits hands in": ("transport", {"poll.h"}),
}
TRANSPORT_HEADERS = re.compile(r"^(?:unistd\.h|fcntl\.h|netdb\.h|ifaddrs\.h|sys/(?:socket|stat|types|un|uio|ioctl)\.h|net/.*|netinet/.*|"
                               r"linux/(?:sockios|vm_sockets)\.h|arpa/.*)$")

# --- exceptions -------------------------------------------------------------------------------------------------------

# File -> (names of calls and headers, reason).
EXCEPTIONS = {
    # base/ and message/ are linked into the fuzzers without runtime/. What stands here neither tells the time nor
    # waits.
    "base/asymmetric_fence.cpp": ({"syscall", "SYS_membarrier", "linux/membarrier.h", "sys/syscall.h", "unistd.h"},
                                  "membarrier, the heavy half of a fence between pipe ends"),
    "base/cancellation.hpp": ({"pthread.h"}, "holds pthread_cancel off around system calls of every folder"),
    "base/freed_memory.cpp": ({"sysconf", "madvise", "sys/mman.h", "unistd.h"}, "gives pages back"),
    "base/huge_page_allocator.hpp": ({"madvise", "sys/mman.h"}, "asks for large pages"),
    "base/process_generation.cpp": ({"pthread_atfork", "pthread.h"}, "counts forks"),
    "base/process_secret.cpp": ({"getauxval", "sys/auxv.h"}, "reads what the kernel gave to the process"),
    "base/probes.hpp": ({"sys/sdt.h"}, "tracing points, which call nothing"),
    "base/jitter_seed.cpp": ({"getpid", "unistd.h"}, "seeds of forked processes differ"),
    "base/random_octets.cpp": ({"getrandom", "open", "read", "getpid", "sys/random.h", "fcntl.h", "unistd.h"},
                               "what nobody can foresee"),
    "base/unique_fd.hpp": ({"close", "unistd.h"}, "owning a descriptor means to close it"),
    "crypto/key_memory.cpp": ({"mmap", "munmap", "mprotect", "madvise", "sys/mman.h"},
                              "pages for keys: locked, guarded, wiped by fork"),
    "transport/local_service/service_listener.cpp": ({"sys/file.h"}, "a lock of the folder while a socket file is made"),
    "transport/tls/fork_gate.cpp": ({"pthread.h", "thread", "steady_clock::now", "std::this_thread::sleep_for"},
                                    "a fork waits for threads inside OpenSSL; compiled into the "
                                    "module, too, without runtime/"),
    "pipe/conflation.cpp": ({"read"}, "a member of this name is initialised"),
    "base/thread_state.cpp": ({"pthread.h"}, "ends what hangs on a thread, by pthread_key_create"),
}


def names(*lists):
    return {name for some in lists for name in some.split()}


def forbidden_in(folder):
    """The calls that a folder may not make."""
    if folder == "transport":
        return names(TIME, WAITING, THREADS)
    return names(TIME, WAITING, THREADS, CONNECTIONS, OTHERS)


def declared_in(texts):
    """Names of functions that these texts declare."""
    found = set()
    for text in texts:
        for match in DECLARATION.finditer(text):
            if match["type"] not in WORDS_BEFORE_A_CALL:
                found.add(match["name"])
        found.update(CLASS.findall(text))  # whose constructors are called like functions
    return found


def calls_in(line):
    """(name, called with ::) for each call of a free function, or of a member of one's own."""
    for match in re.finditer(r"\b(?P<name>[a-z_]\w*)\s*\(", line):
        before = line[:match.start()].rstrip()
        if before.endswith((".", "->", "~")):
            continue
        if before.endswith("::"):
            if re.search(r"[\w>]::$", before):
                continue  # another class's or namespace's
            yield match["name"], True
            continue
        word = re.search(r"[\w>]+[\s&*]*$", before)
        if word and re.match(r"[\w>]+", word[0])[0] not in WORDS_BEFORE_A_CALL:
            continue  # a type: a declaration
        yield match["name"], False


def may_include(folder, header):
    if not HEADERS.match(header):
        return True
    if folder == "transport" and TRANSPORT_HEADERS.match(header):
        return True
    return any(where in ("*", folder) and header in headers for where, headers in TYPES.values())


def check_file(path, text, folder, own):
    """(line, what) for each violation, exceptions not counted."""
    forbidden = forbidden_in(folder)
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found and not may_include(folder, found[1]):
            yield number, found[1]
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if INCLUDE.match(line):
            continue
        for name, qualified in calls_in(line):
            if name in forbidden and (qualified or name not in own):
                yield number, name
        for pattern in (CLOCK, CLOCK_ALIAS, STANDARD):
            for match in pattern.finditer(line):
                yield number, match.group()


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    files = sorted(p for p in (root / "src").rglob("*") if p.suffix in {".hpp", ".cpp", ".h"})
    texts = {p: p.read_text() for p in files}
    folder_of = {p: p.relative_to(root / "src").parts[0] for p in files}
    own = {folder: declared_in(without_comments(texts[p]) for p in files if folder_of[p] == folder)
           for folder in set(folder_of.values())}
    count = 0
    used = set()
    for path in files:
        if folder_of[path] == "runtime":
            continue
        name = path.relative_to(root / "src").as_posix()
        allowed = EXCEPTIONS.get(name, (set(), ""))[0]
        for number, what in check_file(path, texts[path], folder_of[path], own[folder_of[path]]):
            if what in allowed:
                used.add((name, what))
                continue
            print(f"{path.relative_to(root)}:{number}: {what}: runtime/ is the door to the kernel"
                  + (", transport/ for connections" if folder_of[path] != "transport" else ""))
            count += 1
    for name, (allowed, _) in EXCEPTIONS.items():
        for what in sorted(allowed):
            if (root / "src" / name).exists() and (name, what) not in used:
                print(f"src/{name}: {what} is excepted in check_kernel.py, and not used")
                count += 1
    print(f"{len(files)} files checked, {count} violations")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
