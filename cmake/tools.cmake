# build/bin/zlink, the command-line tool: tools/**/*.cpp against the public headers and the shared library.

file(GLOB_RECURSE zlink_tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.cpp)
if(zlink_tool_sources)
    find_package(CLI11 REQUIRED)
    find_package(fmt REQUIRED)

    add_executable(zlink-tool ${zlink_tool_sources})
    target_link_libraries(zlink-tool PRIVATE libzmq zlink_flags CLI11::CLI11 fmt::fmt Threads::Threads
        ${CMAKE_DL_LIBS})
    target_include_directories(zlink-tool PRIVATE ${PROJECT_SOURCE_DIR}/tools)
    target_compile_definitions(zlink-tool PRIVATE ZMQ_BUILD_DRAFT_API)
    target_compile_options(zlink-tool PRIVATE $<$<CONFIG:Release>:-O2>)
    # CLI11 stays out: it would cost each file that does not parse arguments more than it saves the others.
    target_precompile_headers(zlink-tool PRIVATE <fmt/format.h> <chrono> <string> <thread> <vector>)
    set(rpath "$ORIGIN/../lib" "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    list(REMOVE_DUPLICATES rpath)
    set_target_properties(zlink-tool PROPERTIES
        OUTPUT_NAME zlink INSTALL_RPATH "${rpath}" BUILD_WITH_INSTALL_RPATH ON)
endif()
