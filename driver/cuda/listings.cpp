// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/cuda/listings.h"

#include "abi/listings.h"
#include "driver/text_assembly.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace tutti::driver::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = 32768;

/// Without comments, and lines that say where in the source something is.
std::string plain(std::string_view ptx) {
  std::string result;
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view line = ptx.substr(0, std::min(ptx.find("//"), end));
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
      line.remove_suffix(1);
    }
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && !line.substr(first).starts_with(".loc") &&
        !line.substr(first).starts_with(".file")) {
      result += line;
      result += '\n';
    }
  }
  return result;
}

/// Where what an opening brace encloses is over; npos if it never is.
std::size_t endOf(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : 0;
    depth -= text[at] == '}' ? 1 : 0;
    if (depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

std::vector<std::string> textsIn(const std::string &folder, const std::string &prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".ptx" &&
        entry.path().filename().string().starts_with(prefix)) {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

} // namespace

std::string kernelsIn(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry";
  const std::string text = plain(ptx);
  std::string kernels;
  for (std::size_t at = text.find(kEntry); at != std::string::npos;
       at = text.find(kEntry, at + 1)) {
    const std::size_t open = text.find('{', at);
    const std::size_t end = open == std::string::npos ? open : endOf(text, open);
    if (end == std::string::npos) {
      break;
    }
    const std::string_view kernel = std::string_view(text).substr(at, end - at);
    if (kernel.size() <= kLongest && kernel.find("\tcall") == std::string_view::npos) {
      kernels += kernel;
      kernels += '\n';
    } else {
      kernels += kernel.substr(0, kernel.find_first_of("({"));
      kernels += "()\n{\n}\n";
    }
  }
  return kernels;
}

std::function<SourcePlan()> withListings(const SourceJob &job, const std::string &folder,
                                         const std::string &prefix) {
  // What the job refers to may be gone by then.
  return
      [folder, prefix, source = job.source, object = job.object, clang = job.installation.clang] {
        SourcePlan plan;
        const std::string stem = folder + "/" + fs::path(object).stem().string();
        const std::string bare = stem + ".bare.o";
        std::vector<std::string> parts;
        for (const std::string &path : textsIn(folder, prefix)) {
          std::ifstream file(path, std::ios::binary);
          const std::string text((std::istreambuf_iterator<char>(file)), {});
          std::string kernels = kernelsIn(text);
          if (kernels.empty()) {
            continue;
          }
          const std::string part = path + ".listing";
          plan.files.push_back({part, std::move(kernels)});
          plan.files.push_back({part + ".s", textAssembly(TUTTI_SECTION_LISTINGS, source, part)});
          plan.commands.push_back({clang, "-c", "-x", "assembler", part + ".s", "-o", part + ".o"});
          parts.push_back(part + ".o");
        }
        std::error_code error;
        if (!parts.empty() &&
            fs::copy_file(object, bare, fs::copy_options::overwrite_existing, error)) {
          parts.insert(parts.begin(), bare);
          Command join = {clang, "-r", "-nostdlib", "-o", object};
          join.insert(join.end(), parts.begin(), parts.end());
          plan.commands.push_back(std::move(join));
        } else {
          plan = {}; // It is as good without.
        }
        return plan;
      };
}

} // namespace tutti::driver::cuda
