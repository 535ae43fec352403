// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/cuda/toolkit.h"

#include "driver/commands.h"
#include "driver/toolchain.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <string_view>
#include <unistd.h>

namespace tutti::driver::cuda {

namespace {

namespace fs = std::filesystem;

/// The first of `folders` below `root` that has one of `files`.
std::string folderWith(const fs::path &root, std::initializer_list<const char *> folders,
                       std::initializer_list<const char *> files) {
  std::error_code error;
  for (const char *folder : folders) {
    for (const char *file : files) {
      if (fs::exists(root / folder / file, error)) {
        return (root / folder).string();
      }
    }
  }
  return {};
}

Toolkit toolkitAt(const fs::path &root) {
  Toolkit toolkit;
  toolkit.include =
      folderWith(root, {"include", "targets/x86_64-linux/include"}, {"cuda_runtime.h"});
  if (toolkit.include.empty()) {
    return {};
  }
  toolkit.root = root.string();
  toolkit.library =
      folderWith(root, {"lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"},
                 {"libcudart_static.a", "libcudart.so"});
  const fs::path nvcc = root / "bin" / "nvcc";
  toolkit.nvcc = ::access(nvcc.c_str(), X_OK) == 0 ? nvcc.string() : "";
  return toolkit;
}

/// The toolkit of an nvcc that is a script, or lies elsewhere: it says where it takes things from.
std::string rootAsNvccSays(const std::string &nvcc) {
  constexpr std::string_view kRoot = "#$ TOP=";
  const Command question = {nvcc, "--dryrun", "-c", "-x", "cu", "/dev/null", "-o", "/dev/null"};
  FILE *pipe = ::popen((quoted(question) + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    return {};
  }
  std::string root;
  for (std::array<char, 4096> line{}; std::fgets(line.data(), line.size(), pipe) != nullptr;) {
    std::string_view text = line.data();
    if (text.starts_with(kRoot)) {
      text.remove_prefix(kRoot.size());
      root = text.substr(0, text.find_last_not_of(" \r\n") + 1);
    }
  }
  ::pclose(pipe);
  return root;
}

Toolkit toolkitOf(const std::string &nvcc) {
  std::error_code error;
  Toolkit toolkit = toolkitAt(fs::canonical(nvcc, error).parent_path().parent_path());
  if (toolkit.root.empty()) {
    toolkit = toolkitAt(rootAsNvccSays(nvcc));
  }
  toolkit.nvcc = nvcc;
  return toolkit;
}

} // namespace

Toolkit findToolkit() {
  std::vector<Toolkit> found;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char *root = std::getenv(variable); root != nullptr && *root != '\0') {
      found.push_back(toolkitAt(root));
    }
  }
  if (const std::string nvcc = findInPath("nvcc"); !nvcc.empty()) {
    found.push_back(toolkitOf(nvcc));
  }
  found.push_back(toolkitAt("/usr/local/cuda"));
  std::erase_if(found, [](const Toolkit &toolkit) { return toolkit.root.empty(); });
  const auto best =
      std::ranges::find_if(found, [](const Toolkit &toolkit) { return !toolkit.nvcc.empty(); });
  if (best != found.end()) {
    return *best;
  }
  return found.empty() ? Toolkit() : found.front();
}

std::vector<int> nativeArchitectures() {
  constexpr int kCapabilityMajor = 75; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  constexpr int kCapabilityMinor = 76;
  void *driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    return {};
  }
  using Start = int(unsigned);
  using Count = int(int *);
  using Attribute = int(int *, int, int);
  auto *start = reinterpret_cast<Start *>(::dlsym(driver, "cuInit"));
  auto *count = reinterpret_cast<Count *>(::dlsym(driver, "cuDeviceGetCount"));
  auto *attribute = reinterpret_cast<Attribute *>(::dlsym(driver, "cuDeviceGetAttribute"));
  int devices = 0;
  if (!start || !count || !attribute || start(0) != 0 || count(&devices) != 0) {
    return {};
  }
  std::set<int> all;
  for (int device = 0; device < devices; ++device) {
    int major = 0;
    int minor = 0;
    if (attribute(&major, kCapabilityMajor, device) == 0 &&
        attribute(&minor, kCapabilityMinor, device) == 0) {
      all.insert(major * 10 + minor);
    }
  }
  return {all.begin(), all.end()};
}

} // namespace tutti::driver::cuda
