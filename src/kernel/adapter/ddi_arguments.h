// A DDI's arguments in a trace: those that matter, in the contract's names.
#pragma once

#include <string>

#include <d3dkmddi.h>
#include <dispmprt.h>

namespace tandem::kernel {

// Before the call: what the kernel asks for.
[[nodiscard]] std::string DdiArgument(const DXGKARG_QUERYADAPTERINFO& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_CREATECONTEXT& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_CREATEALLOCATION& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_DESTROYALLOCATION& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_OPENALLOCATION& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_CLOSEALLOCATION& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_DESCRIBEALLOCATION& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_BUILDPAGINGBUFFER& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_PRESENT& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_RENDER& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_PATCH& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_SUBMITCOMMAND& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_PREEMPTCOMMAND& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_SETVIDPNSOURCEADDRESS& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_SETVIDPNSOURCEVISIBILITY& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_SETPOINTERPOSITION& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_SETPOINTERSHAPE& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_COMMITVIDPN& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_RECOMMENDFUNCTIONALVIDPN& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_QUERYVIDPNHWCAPABILITY& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_ESCAPE& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_QUERYCURRENTFENCE& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_QUERYENGINESTATUS& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_RESETENGINE& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_GETSCANLINE& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_QUERYFEATURESUPPORT& args);
[[nodiscard]] std::string DdiArgument(const DXGKARG_QUERYFEATUREINTERFACE& args);

// After it: what the driver answered beside the status.
[[nodiscard]] std::string DdiAnswer(const DXGKARG_CREATECONTEXT& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_CREATEALLOCATION& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_DESCRIBEALLOCATION& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_PRESENT& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_QUERYVIDPNHWCAPABILITY& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_QUERYCURRENTFENCE& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_QUERYENGINESTATUS& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_RESETENGINE& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_GETSCANLINE& args);
[[nodiscard]] std::string DdiAnswer(const DXGKARG_QUERYFEATURESUPPORT& args);

}  // namespace tandem::kernel
