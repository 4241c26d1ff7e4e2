#include "drivers/host/kernel.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"
#include "drivers/host/pool.h"
#include "drivers/host/registry.h"
#include "drivers/host/seh.h"

namespace tandem::drivers::host {
namespace {

constexpr int kRememberedTexts = 1024;  // Later violations are reported each time.

constinit const TANDEM_DRIVER_KERNEL* attached = nullptr;
constinit Mutex reported_mutex;
std::uint64_t reported[kRememberedTexts];
int reported_count = 0;

std::uint64_t HashOf(const char* text, std::uint64_t hash) {
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3ull;
  return hash;
}

// FNV-1a tells texts apart.
bool IsNew(const char* rule, const char* text) {
  const std::uint64_t hash = HashOf(text, HashOf(rule, 0xcbf29ce484222325ull));
  const Locked locked(reported_mutex);
  for (int i = 0; i < reported_count; ++i) {
    if (reported[i] == hash) return false;
  }
  if (reported_count < kRememberedTexts) reported[reported_count++] = hash;
  return true;
}

}  // namespace

const TANDEM_DRIVER_KERNEL* AttachedKernel() { return __atomic_load_n(&attached, __ATOMIC_ACQUIRE); }

KIRQL CurrentIrql() {
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  return kernel == nullptr || kernel->GetIrql == nullptr ? PASSIVE_LEVEL : kernel->GetIrql();
}

void SetIrql(KIRQL irql) {
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  if (kernel != nullptr && kernel->SetIrql != nullptr) kernel->SetIrql(irql);
}

bool ServiceFails(const char* name) {
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  return kernel != nullptr && kernel->ServiceFails != nullptr && kernel->ServiceFails(name) != FALSE;
}

void Report(Rule rule, const char* format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  const char* const name = kRules[static_cast<int>(rule)].name;
  if (!IsNew(name, text)) return;
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  if (kernel != nullptr && kernel->Report != nullptr) {
    kernel->Report(name, text);
  } else {
    std::fprintf(stderr, "%s: %s\n", name, text);
  }
}

const char* IrqlName(KIRQL irql) {
  static constexpr const char* kNames[] = {"PASSIVE_LEVEL", "APC_LEVEL", "DISPATCH_LEVEL", "IRQL 3", "IRQL 4", "DIRQL"};
  return irql < sizeof(kNames) / sizeof(kNames[0]) ? kNames[irql] : "an IRQL above DIRQL";
}

void CheckIrql(const char* function, KIRQL limit) {
  const KIRQL level = CurrentIrql();
  if (level <= limit) return;
  Report(Rule::kIrql, "%s is called at %s; its limit is %s.", function, IrqlName(level), IrqlName(limit));
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

// The functions of dispmprt.h that the driver calls by name.
EXTERN_C __attribute__((visibility("default"))) VOID TandemAttachKernel(CONST TANDEM_DRIVER_KERNEL* Kernel) {
  if (Kernel != nullptr) {
    {
      const Locked locked(reported_mutex);
      reported_count = 0;
    }
    __atomic_store_n(&attached, Kernel, __ATOMIC_RELEASE);
    BeginRegistry(*Kernel);
    BeginPool(*Kernel);
    CatchFaults(true);
    return;
  }
  EndLeftovers();
  CatchFaults(false);
  __atomic_store_n(&attached, static_cast<const TANDEM_DRIVER_KERNEL*>(nullptr), __ATOMIC_RELEASE);
}

EXTERN_C NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                       DRIVER_INITIALIZATION_DATA* DriverInitializationData) {
  CheckIrql("DxgkInitialize", PASSIVE_LEVEL);
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  if (kernel == nullptr || kernel->Initialize == nullptr) return STATUS_NOT_SUPPORTED;
  return kernel->Initialize(DriverObject, RegistryPath, DriverInitializationData);
}

EXTERN_C NTSTATUS NTAPI DxgkUnInitialize(PDRIVER_OBJECT DriverObject) {
  CheckIrql("DxgkUnInitialize", PASSIVE_LEVEL);
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  return kernel == nullptr || kernel->UnInitialize == nullptr ? STATUS_NOT_SUPPORTED : kernel->UnInitialize(DriverObject);
}

EXTERN_C NTSTATUS NTAPI DxgkIsFeatureEnabled2(PDRIVER_OBJECT DriverObject, DXGKARGCB_ISFEATUREENABLED2* pArgs) {
  CheckIrql("DxgkIsFeatureEnabled2", PASSIVE_LEVEL);
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  if (kernel == nullptr || kernel->IsFeatureEnabled2 == nullptr) return STATUS_NOT_SUPPORTED;
  return kernel->IsFeatureEnabled2(DriverObject, pArgs);
}

EXTERN_C NTSTATUS NTAPI DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                                        struct _KMDDOD_INITIALIZATION_DATA* KmdDodInitializationData) {
  CheckIrql("DxgkInitializeDisplayOnlyDriver", PASSIVE_LEVEL);
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  if (kernel == nullptr || kernel->InitializeDisplayOnlyDriver == nullptr) return STATUS_NOT_SUPPORTED;
  return kernel->InitializeDisplayOnlyDriver(DriverObject, RegistryPath, KmdDodInitializationData);
}
