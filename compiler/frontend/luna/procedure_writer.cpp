// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/procedure_writer.h"

#include "compiler/frontend/luna/words.h"

#include <algorithm>
#include <map>

namespace tutti::compiler::luna {

namespace {

/// The types of a fragment that is read and of one that is made: in the procedure, and in its
/// version for devices.
struct Language {
  std::string_view value;
  std::string_view name;
};

constexpr Language kProcedure = {"const InputDF &", "OutputDF &"};
constexpr Language kNative = {"const luna::gpu::In &", "luna::gpu::Out &"};
/// The same for who calls it: references are addresses.
constexpr Language kNativeCall = {"const void *", "void *"};

std::string_view cxxTypeOf(ParameterType type, const Language &language) {
  switch (type) {
  case ParameterType::Int:
    return "int ";
  case ParameterType::Real:
    return "double ";
  case ParameterType::String:
    return "const char *";
  case ParameterType::Name:
    return language.name;
  case ParameterType::Value:
    break;
  }
  return language.value;
}

/// The parameters behind `first`, without the parentheses.
std::string parametersOf(const Sub &sub, const Language &language, bool withNames,
                         std::string first = {}) {
  std::string list = std::move(first);
  for (const Parameter &parameter : sub.parameters) {
    list += (list.empty() ? "" : ", ") + std::string(cxxTypeOf(parameter.type, language)) +
            (withNames ? std::string(parameter.name.text) : "");
  }
  return list;
}

std::string argumentOf(ParameterType type, std::size_t number) {
  const std::string argument = "a[" + std::to_string(number) + "].";
  switch (type) {
  case ParameterType::Int:
    return argument + "integer";
  case ParameterType::Real:
    return argument + "real";
  case ParameterType::String:
    return argument + "text";
  case ParameterType::Name:
    return "*static_cast<OutputDF *>(" + argument + "fragment)";
  case ParameterType::Value:
    break;
  }
  return "*static_cast<const InputDF *>(" + argument + "fragment)";
}

std::string argumentsOf(const Sub &sub) {
  std::string list;
  for (std::size_t k = 0; k < sub.parameters.size(); ++k) {
    list += (k == 0 ? "" : ", ") + argumentOf(sub.parameters[k].type, k);
  }
  return list;
}

std::string nativeArgumentsOf(const Sub &sub) {
  std::string list = "q";
  for (std::size_t k = 0; k < sub.parameters.size(); ++k) {
    const ParameterType type = sub.parameters[k].type;
    const bool isFragment = type == ParameterType::Name || type == ParameterType::Value;
    list += ", " + (isFragment ? "a[" + std::to_string(k) + "].fragment" : argumentOf(type, k));
  }
  return list;
}

/// A name with C linkage, as the compiler makes versions for devices of such functions alone; its
/// remarks leave out what stands before the sub's name (compiler/ir/fragment_calls.h).
std::string inPlaceName(const Sub &sub) { return "luna_in_place_" + std::string(sub.name.text); }

std::string flagsOf(const Sub &sub) {
  std::string flags = "0";
  flags += sub.isForDevices ? " | TUTTI_LUNA_FOR_DEVICES" : "";
  flags += sub.isForDevicesOnly ? " | TUTTI_LUNA_FOR_DEVICES_ONLY" : "";
  const bool hasEffect =
      std::ranges::any_of(sub.rules, [](const Rule &rule) { return rule.name.text == "effect"; });
  return flags + (hasEffect ? " | TUTTI_LUNA_EFFECT" : "");
}

bool isNativeInPlace(const Sub &sub) {
  return sub.kind == Sub::Kind::InPlace && sub.isForDevices && !sub.isReplaced;
}

/// The name that the linker knows the procedure by.
std::string codeOf(const Sub &sub) {
  return sub.kind == Sub::Kind::InPlace ? inPlaceName(sub) : std::string(sub.code.text);
}

std::string nativeCode(const Sub &sub) { return codeOf(sub) + std::string(kDeviceSuffix); }

/// Of the version for devices, in the file of imports.
std::string nativeLettersOf(const Sub &sub) {
  std::string letters = "Q" + lettersOf(sub);
  std::ranges::replace(letters, 'v', 'V');
  std::ranges::replace(letters, 'n', 'N');
  return letters;
}

/// What each parameter is to merged calls; no letters if the import says nothing of that, or
/// nothing that the checker has left.
std::string mergeOf(const Sub &sub) {
  if (!sub.isMerged) {
    return "nullptr";
  }
  std::string letters;
  for (const Parameter &parameter : sub.parameters) {
    letters += "=#b<>s"[static_cast<std::size_t>(parameter.merge)];
  }
  return literal(letters);
}

std::string addressOf(const std::string &name) {
  return "reinterpret_cast<const void *>(&" + name + ")";
}

} // namespace

std::string lettersOf(const Sub &sub) {
  std::string letters;
  for (const Parameter &parameter : sub.parameters) {
    letters += "irsnv"[static_cast<std::size_t>(parameter.type)];
  }
  return letters;
}

std::string ProcedureWriter::at(Position position) const {
  std::string path;
  const LineColumn place = placeOf(position, path);
  return literal(path + ":" + std::to_string(place.line));
}

LineColumn ProcedureWriter::placeOf(Position position, std::string &path) const {
  const Location place = sources_.outermost(text_.text.locate(position));
  path = sources_.path(place.file);
  return sources_.lineColumn(place);
}

std::string ProcedureWriter::importLine(const Sub &sub, const std::string &code,
                                        const std::string &letters) const {
  std::string path;
  const LineColumn place = placeOf(sub.code.at, path);
  return code + "\t" + path + "\t" + std::to_string(place.line) + "\t" +
         std::to_string(place.column) + "\t" + letters + "\n";
}

std::string ProcedureWriter::write(const Program &program, const std::vector<const Sub *> &called,
                                   WrittenProgram &written) {
  std::string text;
  for (const Sub *sub : program.subs) {
    if (sub->isReplaced || sub->kind != Sub::Kind::InPlace || sub->isForDevices) {
      continue;
    }
    text += foreign_.lineMark(sub->name.at);
    const bool isCalled = std::ranges::find(called, sub) != called.end();
    text += (isCalled ? "extern \"C\" [[gnu::visibility(\"hidden\")]] void "
                      : "[[maybe_unused]] static void ") +
            inPlaceName(*sub) + "(" + parametersOf(*sub, kProcedure, true) + ")\n" +
            foreign_.write(sub->foreign);
  }
  text += "#line 1 \"" + std::string("<tables of the program>") + "\"\n";
  text += "extern \"C\" const char *native_error() __asm__(\"tutti_luna_native_error\") "
          "__attribute__((weak));\n";
  for (std::size_t i = 0; i < called.size(); ++i) {
    const Sub &sub = *called[i];
    addRow(sub, i, text);
    if (sub.kind == Sub::Kind::Import) {
      written.imports += importLine(sub, std::string(sub.code.text), lettersOf(sub));
    }
    if (sub.kind == Sub::Kind::Import && sub.isForDevices) {
      written.imports += importLine(sub, nativeCode(sub), nativeLettersOf(sub));
    }
  }
  written.natives = declareNatives(called);
  return text;
}

void ProcedureWriter::addRow(const Sub &sub, std::size_t number, std::string &text) {
  const bool isImport = sub.kind == Sub::Kind::Import;
  // Several imports may name one procedure, and mean it to have other types.
  const std::string code = isImport ? "import_" + std::to_string(number) : inPlaceName(sub);
  if (isImport) {
    text += "extern \"C\" void " + code + "(" + parametersOf(sub, kProcedure, false) +
            ") __asm__(" + literal(sub.code.text) + ")" +
            (sub.isForDevicesOnly ? " __attribute__((weak))" : "") + ";\n";
  }
  const bool hasProcedure = !isNativeInPlace(sub);
  const std::string stub = hasProcedure ? "stub_" + std::to_string(number) : "nullptr";
  if (hasProcedure) {
    text += "static void " + stub + "([[maybe_unused]] const tutti_luna_argument *a) { " + code +
            "(" + argumentsOf(sub) + "); }\n";
  }
  const std::string version = hasProcedure ? writeVersion(sub, number, text) : "nullptr, nullptr";
  const std::string native =
      sub.isForDevices ? writeNative(sub, number, text) : "nullptr, nullptr, 0, nullptr";
  tables_.procedures.add("{" + literal(sub.name.text) + ", " + literal(sub.code.text) + ", " +
                         literal(lettersOf(sub)) + ", " + stub + ", " + flagsOf(sub) + ", " +
                         at(sub.name.at) + ", " + version + ", " +
                         (hasProcedure ? addressOf(code) : "nullptr") + ", " + native + ", " +
                         mergeOf(sub) + "}");
}

/// What tables say of the version for devices that the compiler may have made of a procedure
/// (compiler/transform/derive_procedures.h), with a declaration in `text`.
std::string ProcedureWriter::writeVersion(const Sub &sub, std::size_t number,
                                          std::string &text) const {
  const std::string version = "version_" + std::to_string(number);
  const std::string stub = "version_stub_" + std::to_string(number);
  text += "extern \"C\" void " + version + "(" + parametersOf(sub, kProcedure, false) +
          ") __asm__(\"tutti_luna_device_" + codeOf(sub) + "\") __attribute__((weak));\n" +
          "static void " + stub + "([[maybe_unused]] const tutti_luna_argument *a) { " + version +
          "(" + argumentsOf(sub) + "); }\n";
  return addressOf(version) + ", " + stub;
}

/// The same for the version that the program may bring.
std::string ProcedureWriter::writeNative(const Sub &sub, std::size_t number,
                                         std::string &text) const {
  const std::string native = "native_" + std::to_string(number);
  const std::string stub = "native_stub_" + std::to_string(number);
  text += "extern \"C\" void " + native + "(" + parametersOf(sub, kNativeCall, false, "void *") +
          ") __asm__(" + literal(nativeCode(sub)) + ") __attribute__((weak));\n" + "static void " +
          stub + "(void *q, [[maybe_unused]] const tutti_luna_argument *a) { " + native + "(" +
          nativeArgumentsOf(sub) + "); }\n";
  return addressOf(native) + ", " + stub + ", " + std::to_string(kDeviceKind) + ", &native_error";
}

std::string ProcedureWriter::writeNativesInPlace(const Program &program,
                                                 const std::vector<const Sub *> &called) const {
  if (std::ranges::none_of(called, [](const Sub *sub) { return isNativeInPlace(*sub); })) {
    return {};
  }
  std::string text = "#include \"ucenv_gpu.h\"\n#include <cstdio>\n";
  for (const Head &head : program.heads) {
    if (head.isForDevices) {
      text += foreign_.write(head.foreign);
    }
  }
  for (const Sub *sub : program.subs) {
    if (isNativeInPlace(*sub)) {
      text += foreign_.lineMark(sub->name.at) + "extern \"C\" void " + nativeCode(*sub) + "(" +
              parametersOf(*sub, kNative, true, "[[maybe_unused]] luna::gpu::Queue &queue") +
              ")\n" + foreign_.write(sub->foreign);
    }
  }
  return text;
}

/// For their compiler, which knows no file of imports: another declaration of a function with C
/// linkage is its error. Of imports that differ in what they say of one procedure none is right.
std::string ProcedureWriter::declareNatives(const std::vector<const Sub *> &called) const {
  std::map<std::string, std::vector<const Sub *>> byCode;
  for (const Sub *sub : called) {
    if (sub->kind == Sub::Kind::Import && sub->isForDevices) {
      byCode[nativeCode(*sub)].push_back(sub);
    }
  }
  std::string text = "#if " + std::string(kDeviceCondition) + "\n#include <luna_native_error.h>\n";
  text += "namespace luna { namespace gpu { class Queue; class In; class Out; } }\n";
  for (const auto &[code, subs] : byCode) {
    const Sub &first = *subs.front();
    if (std::ranges::all_of(subs,
                            [&](const Sub *sub) { return lettersOf(*sub) == lettersOf(first); })) {
      text += foreign_.lineMark(first.code.at) + "extern \"C\" void " + code + "(" +
              parametersOf(first, kNative, false, "luna::gpu::Queue &") + ");\n";
    }
  }
  return text + "#endif\n";
}

} // namespace tutti::compiler::luna
