#!/bin/bash -eu
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Builds the fuzz targets into $OUT, each with its seeds, dictionary and options. Started in the source tree, with the
# environment of OSS-Fuzz's base-builder: CC, CXX, CFLAGS and CXXFLAGS, which instrument the code, LIB_FUZZING_ENGINE,
# OUT and WORK. Nothing here knows the names of targets.

# OpenSSL and libsodium are linked statically, as $OUT is all that there is where the targets run. Look-ups of names
# need no Asio.
cmake -S . -B "$WORK/zlink" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_UNITY_BUILD=ON \
    -DZLINK_BUILD_FUZZERS=ON -DZLINK_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DZLINK_INVARIANTS=ON \
    -DZLINK_TLS=ON -DZLINK_ASIO=OFF -DZLINK_SODIUM_STATIC=ON -DOPENSSL_USE_STATIC_LIBS=ON \
    -DZLINK_WERROR=OFF -DZLINK_USDT=OFF
cmake --build "$WORK/zlink" -j "${ZLINK_JOBS:-$(nproc)}"

for target in "$WORK"/zlink/bin/*_fuzz; do
    file=$(basename "$target")
    name=${file%_fuzz}
    cp "$target" "$OUT/"
    rm -f "$OUT/${file}_seed_corpus.zip"
    python3 -m zipfile -c "$OUT/${file}_seed_corpus.zip" fuzz/corpus/"$name"/*
    printf '[libfuzzer]\nmax_len = 16384\ntimeout = 25\n' >"$OUT/$file.options"
    # A dictionary says in its first lines whose it is.
    dictionary=$(grep -lE "^# Targets:.* $name( |$)" fuzz/dict/*.dict || true)
    [[ -z $dictionary ]] || cp "$dictionary" "$OUT/$file.dict"
done
