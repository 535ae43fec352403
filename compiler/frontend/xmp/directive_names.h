// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The names of directives.
#pragma once

#include "compiler/frontend/xmp/directive.h"

#include "llvm/ADT/StringRef.h"

namespace tutti::compiler::xmp {

struct DirectiveName {
  llvm::StringRef text;
  DirectiveKind kind;
};

inline constexpr DirectiveName kDirectiveNames[] = {
    {"nodes", DirectiveKind::Nodes},
    {"template", DirectiveKind::Template},
    {"distribute", DirectiveKind::Distribute},
    {"align", DirectiveKind::Align},
    {"shadow", DirectiveKind::Shadow},
    {"static_desc", DirectiveKind::StaticDesc},
    {"template_fix", DirectiveKind::TemplateFix},
    {"task", DirectiveKind::Task},
    {"tasks", DirectiveKind::Tasks},
    {"loop", DirectiveKind::Loop},
    {"array", DirectiveKind::Array},
    {"reflect", DirectiveKind::Reflect},
    {"reduce_shadow", DirectiveKind::ReduceShadow},
    {"gmove", DirectiveKind::Gmove},
    {"barrier", DirectiveKind::Barrier},
    {"reduction", DirectiveKind::Reduction},
    {"bcast", DirectiveKind::Bcast},
    {"wait_async", DirectiveKind::WaitAsync},
    {"acc replicate", DirectiveKind::Replicate},
    {"acc replicate_sync", DirectiveKind::ReplicateSync},
};

/// Those that stand behind `acc`.
inline constexpr DirectiveName kAccDirectiveNames[] = {
    {"replicate", DirectiveKind::Replicate}, {"replicate_sync", DirectiveKind::ReplicateSync},
    {"reflect", DirectiveKind::Reflect},     {"barrier", DirectiveKind::Barrier},
    {"loop", DirectiveKind::Loop},
};

/// A directive that is known and not supported, and what it is of.
struct OtherDirective {
  llvm::StringRef text;
  llvm::StringRef of;
};

inline constexpr OtherDirective kOtherDirectives[] = {
    {"coarray", "coarrays"},
    {"image", "coarrays"},
    {"post", "the local view"},
    {"wait", "the local view"},
    {"lock", "the local view"},
    {"unlock", "the local view"},
    {"critical", "the local view"},
    {"reflect_init", "XcalableACC"},
    {"reflect_do", "XcalableACC"},
    {"devices", "XcalableACC"},
    {"master_io", "Fortran's input and output"},
    {"global_io", "Fortran's input and output"},
    {"tasklet", "XcalableMP 2.0"},
    {"tasklets", "XcalableMP 2.0"},
    {"taskletwait", "XcalableMP 2.0"},
};

} // namespace tutti::compiler::xmp
