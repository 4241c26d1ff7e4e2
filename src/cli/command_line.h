// The command line, parsed: one struct for each subcommand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "config/settings.h"

namespace tandem::cli {

enum class ListFormat { kTable, kJson };

// tandem run [options] -- program [arguments]
struct RunCommand {
  config::TracedSettings traced;
  std::vector<std::string> program;  // never empty
};

// tandem launch [options] [--action NAME] [--remember] [--dry-run] entry [files]
struct LaunchCommand {
  config::TracedSettings traced;
  std::string entry;  // path of a desktop entry or a program, or a desktop id
  std::string action;
  std::vector<std::string> files;  // paths or URIs
  bool dry_run = false;
  bool remember = false;  // in the user's policy
};

// tandem menu install [entries] | remove | list [--json]
enum class MenuAction { kInstall, kRemove, kList };
struct MenuCommand {
  MenuAction action = MenuAction::kList;
  std::vector<std::string> entries;  // identifiers of desktop entries
  ListFormat format = ListFormat::kTable;
};

// tandem adapters [--links | --pairs] [--cached | --wake] [--json]
// kAwake: from the cache where a GPU is asleep. kCached: from there alone. kAll: opens every device.
enum class ListedDevices { kAwake, kCached, kAll };
struct AdaptersCommand {
  ListFormat format = ListFormat::kTable;
  bool links = false;  // measured, too
  bool pairs = false;  // instead of the adapters
  ListedDevices devices = ListedDevices::kAwake;
  std::string driver;    // a shared object, in place of the machine's adapters; empty: none
  std::string registry;  // file of system::ReadDriverFile for the driver; empty: none
};

// tandem config show [options of tandem run] [--json] [program]
struct ConfigShowCommand {
  config::TracedSettings traced;
  std::string program;  // empty: any
  ListFormat format = ListFormat::kTable;
};

// tandem status [--json] [--watch[=SECONDS]]
struct StatusCommand {
  double watch_s = 0;  // 0: once
  ListFormat format = ListFormat::kTable;
};

// tandem encodings [options]
struct EncodingsCommand {
  std::vector<std::string> picture_files;  // PNG; none: generated ones
  std::string pictures_folder;             // empty: none are written
  ListFormat format = ListFormat::kTable;
};

// tandem bench link [options]
struct BenchLinkCommand {
  double seconds = 1;  // each measurement
  bool quick = false;  // the example only
  std::string filter;  // shell pattern on the names of the lines; empty: all
  ListFormat format = ListFormat::kTable;
};

// tandem gpu-report [options]
struct GpuReportCommand {
  double minutes = 8;                      // all sections together
  std::string folder = "gpu-report";       // of the reports
  std::string adapter;                     // index, PCI address or a part of the name; empty: every Vulkan device
  std::string part;                        // in the process of one section: its name
  ListFormat format = ListFormat::kTable;  // kTable: Markdown
};

// tandem conform [options]
struct ConformCommand {
  std::string adapter;  // selector; empty: every adapter of this machine
  std::string driver;   // a shared object in place of an adapter
  std::string filter;   // shell pattern on the names of trials and rules; empty: all
  std::string junit;    // file; empty: none
  std::string trial;    // in the process of one trial: its name
  std::string debug;    // a rule or a trial to try in this process
  std::uint32_t limit_s = 60;
  std::uint32_t jobs = 1;  // processes at a time
  std::uint32_t repeat = 1;
  std::uint32_t seed = 1;            // of the first repetition; one more in each
  std::uint64_t failed_service = 0;  // in the process of one trial: conform::Trial's
  std::string known_left;            // in the process of one trial: conform::Trial's
  bool list = false;
  bool fail_each = false;     // one trial for each service of the system, which fails in it, in place of the rules
  bool verbose = false;       // everything that trials print
  bool through_shim = false;  // the rules through a shim, in each of its forms, in place of the others
  bool trace = false;         // every call of the driver is printed
  std::string registry;       // file of system::ReadDriverFile for the driver; empty: none
  bool guard_pages = false;   // behind the driver's pool memory
  ListFormat format = ListFormat::kTable;
};

// tandem fuzz --driver FILE [options]
struct FuzzCommand {
  std::string driver;  // a shared object
  std::string replay;  // file of a script; empty: random ones
  std::string corpus;  // folder of scripts to begin with, and of new ones; empty: none
  std::string folder = "fuzz-findings";
  double seconds = 60;
  std::uint64_t runs = 0;  // 0: as many as there is time for
  std::uint64_t seed = 1;
  std::uint32_t jobs = 1;      // runs at a time
  std::uint32_t limit_s = 10;  // of one run
  std::string registry;        // file of system::ReadDriverFile for the driver; empty: none
  bool guard_pages = false;    // behind the driver's pool memory
  bool debug = false;          // the replay in this process
  std::string trial;           // in the process of one run: the script's file
  std::string notes;           // in the process of one run: conform::NotesFile's
  ListFormat format = ListFormat::kTable;
};

// tandem explain [options of run] [--json] -- program [arguments]
struct ExplainCommand {
  config::TracedSettings traced;
  std::vector<std::string> program;  // never empty
  ListFormat format = ListFormat::kTable;
};

// tandem driver build [options] DIR...
struct DriverBuildCommand {
  std::vector<std::string> places;  // folders or .vcxproj files; never empty, the first names the driver
  std::string output;               // file; empty: the driver's name in the current folder
  std::vector<std::string> includes;
  std::vector<std::string> definitions;  // NAME or NAME=VALUE
  std::string keep;                      // folder for the temporary files; empty: they are removed
  bool asan = false;
  bool tsan = false;
  bool coverage = false;  // edges that a fuzzer sees
  ListFormat format = ListFormat::kTable;
};

// tandem report [-o FILE] [--trace FILE] FILE...
struct ReportCommand {
  std::vector<std::string> files;  // frame logs and files of --stats-json; never empty
  std::string output;              // file of the page; empty: report.html unless there is a trace
  std::string trace;               // file; empty: none
};

// tandem doctor [--json]
struct DoctorCommand {
  std::string root;  // in place of /, for tests
  ListFormat format = ListFormat::kTable;
};

// tandem features list | config | state | set | unset | serve | guest
enum class FeatureAction { kList, kConfig, kState, kSet, kUnset, kServe, kGuest };
struct FeaturesCommand {
  FeatureAction action = FeatureAction::kList;
  std::string adapter;              // selector; empty: every adapter
  std::string feature;              // set, unset: name or id
  std::vector<std::string> values;  // set: KEY=VALUE; unset: KEY, none for all
  std::string socket;               // serve, guest: path
  ListFormat format = ListFormat::kTable;
};

// tandem policy list | check | allow | deny | explain
enum class PolicyAction { kList, kCheck, kAllow, kDeny, kExplain };
struct PolicyCommand {
  PolicyAction action = PolicyAction::kList;
  std::string program;                // allow, deny, explain
  std::optional<std::string> render;  // allow: selector
  std::int32_t pid = 0;               // explain: a program that runs; 0: none
  std::vector<std::string> files;     // check: these in place of the machine's
  ListFormat format = ListFormat::kTable;
};

// tandem enable | disable [--user | --system]
enum class SessionAction { kEnable, kDisable, kStatus };
struct SessionCommand {
  SessionAction action = SessionAction::kEnable;
  bool system = false;                   // for every user
  std::vector<std::string> keep_asleep;  // selectors of adapters that other programs shall not open
  bool show_asleep = false;              // other programs see the one adapter, and open it with a device
  ListFormat format = ListFormat::kTable;
};

// Nothing is left to do but print `text` and leave with `exit_code`: --help, --version, or a mistake in the command line.
struct PrintCommand {
  std::string text;
  int exit_code = 0;
};

using Command =
    std::variant<RunCommand, LaunchCommand, MenuCommand, AdaptersCommand, EncodingsCommand, BenchLinkCommand, GpuReportCommand,
                 ConformCommand, FuzzCommand, FeaturesCommand, PolicyCommand, StatusCommand, ConfigShowCommand, SessionCommand,
                 DoctorCommand, ExplainCommand, DriverBuildCommand, ReportCommand, PrintCommand>;

// Gives the settings of the environment and the configuration file for a program; config::ReadSettingsFor, or a test's own.
using DefaultSettings = std::function<Result<config::TracedSettings>(std::string_view program)>;

// Settings start from `defaults`; what is typed weighs more.
[[nodiscard]] Command ParseCommandLine(int argc, const char* const* argv, const DefaultSettings& defaults);

}  // namespace tandem::cli
