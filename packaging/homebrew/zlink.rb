# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Homebrew on Linux:
#     git archive --prefix=zlink-0.1.0/ -o /zlink-0.1.0.tar.gz HEAD
#     HOMEBREW_ZLINK_TARBALL=file:///zlink-0.1.0.tar.gz brew install --formula packaging/homebrew/zlink.rb
class Zlink < Formula
  desc "Messaging library with libzmq's C API and binary interface"
  homepage "https://zeromq.org/"
  url ENV.fetch("HOMEBREW_ZLINK_TARBALL", "file:///zlink-0.1.0.tar.gz")
  version "0.1.0"
  license "MPL-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "fmt"
  depends_on "libsodium"
  depends_on :linux
  depends_on "openssl@3"

  conflicts_with "zeromq", because: "both install libzmq"

  fails_with :gcc do
    version "11"
    cause "needs C++20"
  end

  def install
    args = %w[
      -DZLINK_TLS=ON -DZLINK_ASIO=OFF -DZLINK_BUILD_TOOLS=ON -DZLINK_BUILD_TESTS=OFF -DZLINK_BUILD_PERF=OFF
      -DZLINK_BUILD_BENCHMARKS=OFF -DZLINK_WERROR=OFF
    ]
    system "cmake", "-S", ".", "-B", "build", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
    pkgshare.install "examples/hello.c"
  end

  test do
    system ENV.cc, pkgshare/"hello.c", "-I#{include}", "-L#{lib}", "-lzmq", "-o", "hello"
    assert_equal "hello\n", shell_output("./hello ipc://#{testpath}/hello")
    assert_match "zlink #{version}", shell_output("#{bin}/zlink version")
  end
end
