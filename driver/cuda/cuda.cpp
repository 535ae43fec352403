// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/cuda/cuda.h"

#include "driver/cuda/listings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>

namespace tutti::driver::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char *kHelp =
    "  .cu                    CUDA C++: nvcc compiles it (of CUDA_HOME, CUDA_PATH, PATH or\n"
    "                         /usr/local/cuda), else Clang with such a toolkit; the CUDA runtime\n"
    "                         library is linked. -arch=sm_NN, --cuda-gpu-arch=sm_NN or -gencode\n"
    "                         choose GPUs (default: those of this machine); -ccbin, -Xptxas,\n"
    "                         -lineinfo and the like are for nvcc, as is NVCC_APPEND_FLAGS\n";

/// GPUs of 2018 and later, for which every nvcc still writes code.
constexpr int kOldest = 75;

/// Options for kernels: Clang's, and nvcc's own.
constexpr auto kOptions = std::to_array<OwnOption>({{"--cuda-gpu-arch", false},
                                                    {"--offload-arch", false},
                                                    {"-arch", true},
                                                    {"--gpu-architecture", true},
                                                    {"-code", true},
                                                    {"--gpu-code", true},
                                                    {"-gencode", true},
                                                    {"--generate-code", true},
                                                    {"-ccbin", true},
                                                    {"--compiler-bindir", true},
                                                    {"-Xptxas", true},
                                                    {"--ptxas-options", true},
                                                    {"-maxrregcount", true},
                                                    {"--maxrregcount", true},
                                                    {"-lineinfo", false},
                                                    {"--generate-line-info", false},
                                                    {"-use_fast_math", false},
                                                    {"--use_fast_math", false},
                                                    {"--extended-lambda", false},
                                                    {"--expt-extended-lambda", false},
                                                    {"--expt-relaxed-constexpr", false}});

/// The architecture of an option of Clang's, such as "sm_90".
std::string_view clangArchitecture(std::string_view option) {
  for (const std::string_view name : {"--cuda-gpu-arch=", "--offload-arch="}) {
    if (option.starts_with(name)) {
      return option.substr(name.size());
    }
  }
  return {};
}

bool isArchitectureOption(std::string_view option) {
  constexpr auto kNames = std::to_array<OwnOption>({{"-arch", true},
                                                    {"--gpu-architecture", true},
                                                    {"-gencode", true},
                                                    {"--generate-code", true}});
  return !clangArchitecture(option).empty() ||
         std::ranges::any_of(kNames, [&](const OwnOption &own) { return own.matches(option); });
}

std::vector<Word> wordsOf(const SourceJob &job) { return driver::wordsOf(job.arguments, kOptions); }

bool choosesArchitecture(const SourceJob &job) {
  return std::ranges::any_of(wordsOf(job), [](const Word &word) {
    return !word.isInput && isArchitectureOption(word.text);
  });
}

std::string generated(int architecture, const char *kind) {
  return "-gencode=arch=compute_" + std::to_string(architecture) + ",code=" + kind + "_" +
         std::to_string(architecture);
}

bool isDefinition(std::string_view option) {
  constexpr auto kNames = std::to_array<std::string_view>({"-I", "-D", "-U"});
  return std::ranges::any_of(kNames,
                             [&](std::string_view name) { return option.starts_with(name); });
}

/// Options that nvcc has by the same name, with their value.
bool isAlike(const Word &word) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"-include", "-isystem", "-MD", "-MMD", "-MP", "-MF", "-MT", "-w", "-v"});
  return isDefinition(word.text) || std::ranges::find(kNames, word.text) != kNames.end();
}

/// Options for the compiler of the host's part, whichever it is.
bool isForHost(std::string_view option) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-pic", "-fno-pie", "-fexceptions",
       "-fno-exceptions", "-frtti", "-fno-rtti", "-fno-strict-aliasing", "-fwrapv",
       "-ffunction-sections", "-fdata-sections", "-pthread", "-Wall", "-Wextra"});
  return std::ranges::find(kNames, option) != kNames.end() || option.starts_with("-m") ||
         option.starts_with("-fvisibility");
}

/// nvcc's word for an option of Clang's that it writes in another way; empty if it has none.
std::string respelled(std::string_view option) {
  if (option.starts_with("-O")) {
    return option == "-O0"                                            ? "-O0"
           : option == "-O" || option == "-O1"                        ? "-O1"
           : option == "-O3" || option == "-Ofast" || option == "-O4" ? "-O3"
                                                                      : "-O2";
  }
  if (option.starts_with("-g")) {
    return option == "-g0" || option.starts_with("-gno-") ? "" : "-g";
  }
  for (const std::string_view standard : {"-std=c++", "-std=gnu++", "--std=c++", "--std=gnu++"}) {
    if (option.starts_with(standard)) {
      return "-std=c++" + std::string(option.substr(standard.size()));
    }
  }
  return {};
}

void addWord(std::vector<std::string> &options, const SourceJob &job, const Word &word) {
  const auto whole = job.arguments.subspan(word.at, word.count);
  if (!clangArchitecture(word.text).empty()) {
    std::string architecture(clangArchitecture(word.text));
    const std::string number = architecture.substr(architecture.find('_') + 1);
    options.push_back("-gencode=arch=compute_" + number + ",code=[compute_" + number + "," +
                      architecture + "]");
  } else if (isAlike(word) || std::ranges::any_of(kOptions, [&](const OwnOption &own) {
               return own.matches(word.text);
             })) {
    options.insert(options.end(), whole.begin(), whole.end());
  } else if (word.count == 1 && isForHost(word.text)) {
    options.push_back("-Xcompiler=" + std::string(word.text));
  } else if (word.text == "-idirafter" || word.text == "-iquote") {
    for (const std::string &part : whole) {
      options.insert(options.end(), {"-Xcompiler", part});
    }
  } else if (std::string ours = respelled(word.text); !ours.empty()) {
    options.push_back(std::move(ours));
  }
}

/// Of OmpSs-2, as host files get it.
std::vector<std::string> ompssOptions(const SourceJob &job) {
  std::vector<std::string> options = {"-idirafter",
                                      job.installation.libraryDir + "/../../include/tutti/ompss"};
  if (job.request.ompss == OmpSs::On) {
    options.emplace_back("-D_OMPSS_2=1");
  }
  return options;
}

/// Whether the user says where nvcc has files that it makes on the way, which it can be told only
/// once.
bool placesFiles() {
  constexpr auto kOptionsOfPlaces =
      std::to_array<std::string_view>({"-keep", "-save-temps", "-objtemp"});
  return std::ranges::any_of(
      std::to_array({"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"}), [&](const char *name) {
        const char *const flags = std::getenv(name);
        return flags && std::ranges::any_of(kOptionsOfPlaces, [&](std::string_view option) {
                 return std::string_view(flags).find(option) != std::string_view::npos;
               });
      });
}

SourcePlan planForNvcc(const SourceJob &job, const Toolkit &toolkit,
                       const std::vector<int> &architectures) {
  Command command = {toolkit.nvcc, "-x", "cu", "-c", job.source, "-o", job.object};
  const auto options = translated(job);
  command.insert(command.end(), options.begin(), options.end());
  // Constructs around kernels are for the files that call them.
  command.insert(command.end(), {"-diag-suppress=161", "-Xcompiler=-Wno-unknown-pragmas"});
  for (const std::string &option : ompssOptions(job)) {
    command.insert(command.end(), {"-Xcompiler", option});
  }
  if (!choosesArchitecture(job)) {
    for (const int architecture : architectures) {
      command.push_back(generated(architecture, "sm"));
    }
    // For GPUs that are elsewhere: the driver finishes it.
    command.push_back(generated(architectures.empty() ? kOldest : architectures[0], "compute"));
  }
  SourcePlan plan;
  if (!placesFiles()) {
    // nvcc takes commas and quotes in its name for something else.
    const std::size_t number = std::hash<std::string>()(job.object);
    const std::string folder = job.folder + "/" + std::to_string(number) + ".kept";
    plan.files.push_back({folder + "/listings", ""}); // So that there is the folder.
    command.insert(command.end(), {"--keep", "--keep-dir", folder});
    plan.later = withListings(job, folder, "");
  }
  plan.commands.push_back(std::move(command));
  return plan;
}

/// Clang's options but those for the host's files alone.
Command clangFor(const SourceJob &job, const Toolkit &toolkit, const std::string &headers) {
  Command command = {job.installation.clang,
                     "-x",
                     "cuda",
                     job.source,
                     "--cuda-path=" + toolkit.root,
                     "-Wno-unknown-cuda-version",
                     "-Wno-unknown-pragmas",
                     "-isystem",
                     headers};
  for (const Word &word : wordsOf(job)) {
    const bool isOurs =
        std::ranges::any_of(kOptions, [&](const OwnOption &own) { return own.matches(word.text); });
    const bool isPlace = word.text == "-o" || word.text == "-c" || word.text == "-x" ||
                         word.text.starts_with("-fompss") || word.text.starts_with("-fno-ompss") ||
                         word.text.starts_with("-fopenmp") || word.text.starts_with("-l") ||
                         word.text.starts_with("-L") || word.text.starts_with("-Wl,") ||
                         word.text == "-Xlinker" || word.text.starts_with("-std=c") ||
                         word.text.starts_with("-std=gnu");
    const bool isCxxStandard =
        word.text.starts_with("-std=c++") || word.text.starts_with("-std=gnu++");
    if (!word.isInput && !isOurs && (!isPlace || isCxxStandard)) {
      for (const std::string &part : job.arguments.subspan(word.at, word.count)) {
        command.push_back(part);
      }
    }
  }
  const auto ompss = ompssOptions(job);
  command.insert(command.end(), ompss.begin(), ompss.end());
  return command;
}

/// Those that the user names, else those that there are, as numbers.
std::vector<std::string> architecturesFor(const SourceJob &job, const std::vector<int> &native) {
  std::vector<std::string> all;
  for (const Word &word : wordsOf(job)) {
    std::string_view chosen = clangArchitecture(word.text);
    if (word.text == "-arch") {
      chosen = word.value;
    } else if (word.text.starts_with("-arch=")) {
      chosen = word.text.substr(std::string_view("-arch=").size());
    }
    if (const std::size_t at = chosen.find('_'); at != std::string_view::npos) {
      all.emplace_back(chosen.substr(at + 1));
    }
  }
  if (all.empty()) {
    all.push_back(std::to_string(native.empty() ? kOldest : native[0]));
  }
  return all;
}

/// Clang 19 cannot put device code into host objects by itself with toolkits of CUDA 13, whose
/// tools have other options, and wants a header that is no longer there.
SourcePlan planForClang(const SourceJob &job, const Toolkit &toolkit,
                        const std::vector<int> &native) {
  SourcePlan plan;
  const std::string stem = job.folder + "/" + fs::path(job.object).stem().string();
  const std::string headers = job.folder + "/headers";
  const std::string image = stem + ".fatbin";
  plan.files.push_back({headers + "/texture_fetch_functions.h", "\n"});
  Command pack = {toolkit.root + "/bin/fatbinary", "--create=" + image, "--64"};
  for (const std::string &architecture : architecturesFor(job, native)) {
    const std::string text = stem + "-" + architecture + ".ptx";
    Command device = clangFor(job, toolkit, headers);
    device.insert(device.end(),
                  {"--cuda-device-only", "--cuda-gpu-arch=sm_" + architecture, "-S", "-o", text});
    plan.commands.push_back(std::move(device));
    pack.push_back("--image3=kind=ptx,sm=" + architecture + ",file=" + text);
  }
  plan.commands.push_back(std::move(pack));
  Command host = clangFor(job, toolkit, headers);
  host.insert(host.end(), {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang",
                           image, "-c", "-o", job.object});
  plan.commands.push_back(std::move(host));
  plan.later = withListings(job, job.folder, fs::path(job.object).stem().string() + "-");
  return plan;
}

SourcePlan compile(const SourceJob &job) {
  return planFor(job, findToolkit(),
                 choosesArchitecture(job) ? std::vector<int>() : nativeArchitectures());
}

std::vector<std::string> hostOptions() {
  const Toolkit toolkit = findToolkit();
  // Behind all others, so that nothing of the system's or the user's is found there instead.
  return toolkit.include.empty() ? std::vector<std::string>()
                                 : std::vector<std::string>{"-idirafter", toolkit.include};
}

/// Whether an object or archive names the functions by which objects tell of their kernels.
bool registersKernels(std::string_view file) {
  constexpr std::string_view kName = "__cudaRegisterFatBinary";
  if (!file.ends_with(".o") && !file.ends_with(".a")) {
    return false;
  }
  std::ifstream stream{std::string(file), std::ios::binary};
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  return bytes.find(kName) != std::string::npos;
}

} // namespace

SourcePlan planFor(const SourceJob &job, const Toolkit &toolkit,
                   const std::vector<int> &architectures) {
  if (toolkit.root.empty()) {
    return {{},
            {},
            job.source + ": no CUDA toolkit is found: nvcc is not in $CUDA_HOME/bin, in "
                         "$PATH nor in /usr/local/cuda/bin",
            {}};
  }
  return toolkit.nvcc.empty() ? planForClang(job, toolkit, architectures)
                              : planForNvcc(job, toolkit, architectures);
}

std::vector<std::string> translated(const SourceJob &job) {
  std::vector<std::string> options;
  for (const Word &word : wordsOf(job)) {
    if (!word.isInput) {
      addWord(options, job, word);
    }
  }
  return options;
}

std::vector<std::string> linkOptionsFor(const LinkJob &job, const Toolkit &toolkit) {
  if (toolkit.library.empty()) {
    return {};
  }
  bool isNeeded = job.hasSources;
  bool isGiven = false;
  for (const Word &word : driver::wordsOf(job.arguments, kOptions)) {
    isNeeded = isNeeded || (word.isInput && registersKernels(word.text));
    const std::string_view library = word.text == "-l"             ? word.value
                                     : word.text.starts_with("-l") ? word.text.substr(2)
                                                                   : std::string_view();
    isGiven = isGiven || library.starts_with("cudart");
  }
  if (!isNeeded && !isGiven) {
    return {};
  }
  std::vector<std::string> options = {"-L" + toolkit.library, "-Wl,--wrap=cudaMallocManaged",
                                      "-Wl,--wrap=cudaFree", job.libraryDir + "/cuda_managed.o"};
  if (isGiven) {
    options.insert(options.end(), {"-Xlinker", "-rpath", "-Xlinker", toolkit.library});
  } else {
    options.insert(options.end(), {"-lcudart_static", "-ldl", "-lrt", "-lpthread"});
  }
  if (isNeeded) {
    // Such objects are of C++, also where the command is for C.
    options.insert(options.end(), {"-Wl,--push-state,--as-needed", "-lstdc++", "-Wl,--pop-state"});
  }
  return options;
}

constinit const DeviceLanguage kLanguage{
    .name = "cuda",
    .extension = ".cu",
    .help = kHelp,
    .options = kOptions,
    .compile = compile,
    .hostOptions = hostOptions,
    .linkOptions = [](const LinkJob &job) { return linkOptionsFor(job, findToolkit()); },
    .compilesHostCode = [] { return !findToolkit().root.empty(); }};

} // namespace tutti::driver::cuda
