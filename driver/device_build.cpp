// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/device_build.h"

#include <algorithm>
#include <filesystem>

namespace tutti::driver {

namespace {

namespace fs = std::filesystem;

using Languages = std::span<const DeviceLanguage *const>;

/// Null if the input is Clang's.
const DeviceLanguage *languageOf(const Word &word, Languages languages) {
  const auto found = std::ranges::find_if(languages, [&](const DeviceLanguage *language) {
    return word.language.empty() ? fs::path(word.text).extension() == language->extension
                                 : word.language == language->name;
  });
  return word.isInput && found != languages.end() ? *found : nullptr;
}

std::vector<OwnOption> ownOptions(Languages languages) {
  std::vector<OwnOption> all;
  for (const DeviceLanguage *language : languages) {
    all.insert(all.end(), language->options.begin(), language->options.end());
  }
  return all;
}

/// Those with files in the command.
std::vector<const DeviceLanguage *> usedLanguages(std::span<const std::string> arguments,
                                                  Languages languages) {
  std::vector<const DeviceLanguage *> used;
  for (const Word &word : wordsOf(arguments, ownOptions(languages))) {
    const DeviceLanguage *language = languageOf(word, languages);
    if (language && std::ranges::find(used, language) == used.end()) {
      used.push_back(language);
    }
  }
  return used;
}

/// Goes through the command line once.
class Planner {
public:
  Planner(const std::vector<std::string> &arguments, const CompileRequest &request,
          const Installation &installation, Languages languages, const std::string &folder)
      : arguments_(arguments), request_(request), installation_(installation),
        languages_(languages), folder_(folder), used_(usedLanguages(arguments, languages)),
        own_(ownOptions(used_)) {}

  DeviceBuild plan() {
    readProduct();
    for (const Word &word : wordsOf(arguments_, own_)) {
      if (const DeviceLanguage *language = languageOf(word, languages_)) {
        source(word, *language);
      } else {
        other(word);
      }
    }
    const bool links = request_.product != Product::Intermediate;
    build_.needsClang = links || hostInputs_ > 0;
    if (build_.problem.empty() && !output_.empty() && !links && sources_ + hostInputs_ > 1) {
      build_.problem = "-o names one file, but the command makes several";
    }
    return std::move(build_);
  }

private:
  void readProduct() {
    for (const Word &word : wordsOf(arguments_, own_)) {
      if (word.text == "-o") {
        output_ = word.value;
      } else if (!word.isInput && word.text.starts_with("-o") && word.count == 1) {
        output_ = word.text.substr(2);
      } else if (word.text == "-c" || word.text == "--compile") {
        makesObjects_ = true;
      }
    }
  }

  void source(const Word &word, const DeviceLanguage &language) {
    ++sources_;
    const std::string name(word.text);
    const bool links = request_.product != Product::Intermediate;
    if (!build_.problem.empty()) {
      return;
    }
    if (!links && !makesObjects_) {
      build_.problem = name + ": of such a file an object can be made, with -c, and no more";
      return;
    }
    std::error_code error;
    if (!fs::exists(name, error)) {
      build_.problem = name + ": no such file";
      return;
    }
    const fs::path stem = fs::path(name).stem();
    std::string object = links
                             ? folder_ + "/" + std::to_string(sources_) + "-" + stem.string() + ".o"
                         : output_.empty() ? stem.string() + ".o"
                                           : output_;
    SourcePlan plan =
        language.compile({name, object, folder_, arguments_, request_, installation_});
    build_.problem = plan.problem;
    std::ranges::move(plan.files, std::back_inserter(build_.files));
    std::ranges::move(plan.commands, std::back_inserter(build_.commands));
    if (plan.later) {
      build_.later.push_back(std::move(plan.later));
    }
    if (links) {
      build_.arguments.push_back(std::move(object));
    }
  }

  void other(const Word &word) {
    const bool isOwn = !word.isInput && std::ranges::any_of(own_, [&](const OwnOption &own) {
      return own.matches(word.text);
    });
    if (isOwn) {
      return;
    }
    hostInputs_ += word.isInput ? 1 : 0;
    for (std::size_t i = 0; i < word.count && word.at + i < arguments_.size(); ++i) {
      build_.arguments.push_back(arguments_[word.at + i]);
    }
    forgetLanguage(word);
  }

  /// Objects stand where the files stood for which `-x` was said.
  void forgetLanguage(const Word &word) {
    const std::string_view language = word.text == "-x"             ? word.value
                                      : word.text.starts_with("-x") ? word.text.substr(2)
                                                                    : std::string_view();
    const bool isOurs = std::ranges::any_of(languages_, [&](const DeviceLanguage *one) {
      return !word.isInput && one->name == language;
    });
    if (isOurs) {
      build_.arguments.resize(build_.arguments.size() - word.count);
      build_.arguments.insert(build_.arguments.end(), {"-x", "none"});
    }
  }

  const std::vector<std::string> &arguments_;
  const CompileRequest &request_;
  const Installation &installation_;
  Languages languages_;
  const std::string &folder_;
  std::vector<const DeviceLanguage *> used_;
  std::vector<OwnOption> own_;
  DeviceBuild build_;
  std::string output_;
  bool makesObjects_ = false;
  int sources_ = 0;
  int hostInputs_ = 0;
};

} // namespace

bool hasDeviceSources(std::span<const std::string> arguments, Languages languages) {
  return !usedLanguages(arguments, languages).empty();
}

DeviceBuild planDeviceBuild(const std::vector<std::string> &arguments,
                            const CompileRequest &request, const Installation &installation,
                            Languages languages, const std::string &folder) {
  return Planner(arguments, request, installation, languages, folder).plan();
}

Additions additionsFor(const std::vector<std::string> &arguments, const CompileRequest &request,
                       const Installation &installation, Languages languages) {
  const auto used = usedLanguages(arguments, languages);
  Additions additions;
  for (const DeviceLanguage *language : languages) {
    const bool hasSources = std::ranges::find(used, language) != used.end();
    if (language->hostOptions && (hasSources || request.ompss == OmpSs::On)) {
      std::ranges::move(language->hostOptions(), std::back_inserter(additions.host));
    }
    const bool links =
        request.product == Product::Executable || request.product == Product::SharedLibrary;
    if (language->linkOptions && links) {
      std::ranges::move(language->linkOptions({arguments, hasSources, installation.libraryDir}),
                        std::back_inserter(additions.link));
    }
  }
  return additions;
}

} // namespace tutti::driver
