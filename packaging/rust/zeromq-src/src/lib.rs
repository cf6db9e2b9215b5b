// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

//! Builds zlink's libzmq.a, for build scripts that call the crate zeromq-src. It needs CMake 3.22 and a compiler for
//! C++20 (GCC 12 or Clang 14).
//!
//! `ZLINK_CURVE=1` in the environment builds CURVE with the system's libsodium if the caller names none.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where the headers and the static library of another package are.
#[derive(Debug, Clone)]
pub struct LibLocation {
    include_dir: PathBuf,
    lib_dir: PathBuf,
}

impl LibLocation {
    pub fn new<L, I>(lib_dir: L, include_dir: I) -> Self
    where
        L: Into<PathBuf>,
        I: Into<PathBuf>,
    {
        Self { include_dir: include_dir.into(), lib_dir: lib_dir.into() }
    }

    pub fn include_dir(&self) -> &Path {
        &self.include_dir
    }

    pub fn lib_dir(&self) -> &Path {
        &self.lib_dir
    }
}

/// What is built, and how.
#[derive(Debug, Clone, Default)]
pub struct Build {
    build_debug: bool,
    enable_draft: bool,
    libsodium: Option<LibLocation>,
}

impl Build {
    pub fn new() -> Self {
        Self::default()
    }

    /// Without optimisation, and with debugging information.
    pub fn build_debug(&mut self, enabled: bool) -> &mut Self {
        self.build_debug = enabled;
        self
    }

    /// The draft API's functions are always there: this changes nothing but libzmq.pc.
    pub fn enable_draft(&mut self, enabled: bool) -> &mut Self {
        self.enable_draft = enabled;
        self
    }

    /// CURVE, with that libsodium.
    pub fn with_libsodium(&mut self, maybe: Option<LibLocation>) -> &mut Self {
        self.libsodium = maybe;
        self
    }

    /// Builds the library and tells cargo how it is linked.
    pub fn build(&mut self) {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("OUT_DIR is not set: call this in a build script"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("vendor");
        if !source.join("include/zlink.h").exists() {
            panic!("{}: no sources of zlink (packaging/rust/make_crate.sh puts them there)", source.display());
        }
        let (build, prefix) = (out.join("zlink"), out.join("zlink-prefix"));
        fs::create_dir_all(&build).expect("cannot make the folder of the build");
        println!("cargo:rerun-if-env-changed=ZLINK_CURVE");
        println!("cargo:rerun-if-changed={}", source.display());

        let of_system = env::var("ZLINK_CURVE").map_or(false, |value| value == "1");
        let switch = |on: bool| if on { "ON" } else { "OFF" };
        let mut configure = Command::new("cmake");
        configure
            .arg("-S").arg(&source)
            .arg("-B").arg(&build)
            .arg(format!("-DCMAKE_BUILD_TYPE={}", if self.build_debug { "Debug" } else { "Release" }))
            .arg(format!("-DCMAKE_INSTALL_PREFIX={}", prefix.display()))
            .arg("-DCMAKE_INSTALL_LIBDIR=lib")
            .arg(format!("-DZLINK_CURVE={}", switch(self.libsodium.is_some() || of_system)))
            .arg(format!("-DZLINK_DRAFTS={}", switch(self.enable_draft)))
            .args(["-DZLINK_SHARED=OFF", "-DZLINK_STATIC=ON", "-DZLINK_TLS=OFF", "-DZLINK_ASIO=OFF"])
            .args(["-DZLINK_BUILD_TOOLS=OFF", "-DZLINK_BUILD_TESTS=OFF", "-DZLINK_BUILD_PERF=OFF"])
            .args(["-DZLINK_BUILD_BENCHMARKS=OFF", "-DZLINK_WERROR=OFF"])
            .args(["-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=8"]);
        if let Some(sodium) = &self.libsodium {
            configure
                .arg(format!("-DCMAKE_INCLUDE_PATH={}", sodium.include_dir.display()))
                .arg(format!("-DCMAKE_LIBRARY_PATH={}", sodium.lib_dir.display()))
                .arg("-DZLINK_SODIUM_STATIC=ON");
            println!("cargo:rustc-link-search=native={}", sodium.lib_dir.display());
        }
        run(&mut configure, "configure zlink (it needs CMake 3.22 and GCC 12 or Clang 14)");

        let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
        run(Command::new("cmake").arg("--build").arg(&build).args(["-j", &jobs]), "build zlink");
        run(Command::new("cmake").arg("--install").arg(&build), "install zlink in OUT_DIR");

        println!("cargo:rustc-link-search=native={}", prefix.join("lib").display());
        println!("cargo:rustc-link-lib=static=zmq");
        if self.libsodium.is_some() {
            println!("cargo:rustc-link-lib=static=sodium");
        } else if of_system {
            println!("cargo:rustc-link-lib=sodium");
        }
        println!("cargo:rustc-link-lib=stdc++");
        println!("cargo:include={}", prefix.join("include").display());
        println!("cargo:lib={}", prefix.join("lib").display());
        println!("cargo:out={}", out.display());
    }
}

fn run(command: &mut Command, what: &str) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("cannot {}: {}, see above", what, status),
        Err(why) => panic!("cannot {}: cmake does not start ({}): apt-get install cmake g++", what, why),
    }
}
