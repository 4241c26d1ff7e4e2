#include "cli/driver_build.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include <unistd.h>

#include "base/printable.h"
#include "cli/driver_build_jobs.h"
#include "cli/driver_build_kit.h"
#include "cli/driver_build_project.h"
#include "cli/driver_build_report.h"
#include "cli/exit_codes.h"
#include "cli/temporary_folder.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

Error WithPackage(Error error) {
  if (error.kind == ErrorKind::kNotFound) error.message += " The package clang has it.";
  return error;
}

// One line of a terminal, which the next replaces.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Step(const std::string& what) {
    ++done_;
    if (shown_) std::fprintf(stderr, "\r\033[K[%zu/%zu] %s", done_, total_, Printable(what).c_str());
  }

 private:
  std::size_t total_, done_ = 0;
  bool shown_;
};

Result<DriverProject> ProjectOf(const DriverBuildCommand& command) {
  Result<DriverProject> project = FindDriverProject(command.places.front());
  for (std::size_t i = 1; project.ok() && i < command.places.size(); ++i) {
    Result<DriverProject> more = FindDriverProject(command.places[i]);
    if (!more.ok()) return more;
    Merge(*project, *more);
  }
  if (!project.ok()) return project;
  for (const std::string& include : command.includes) {
    std::error_code error;
    const fs::path folder = fs::canonical(include, error);
    if (error) return Fail(ErrorKind::kNotFound, "There is no folder {}.", include);
    project->folders.push_back(folder);
  }
  return project;
}

// Empty: the driver was linked.
Result<bool> Link(const DriverKit& kit, const BuildFolder& build, const DriverBuildCommand& command,
                  std::vector<fs::path> objects, const fs::path& output, Diagnostics& missing) {
  const fs::path entry = build.folder / "entry.o";
  std::vector<Job> jobs = {{{"clang", "-c", "-fPIC", build.entry().string(), "-o", entry.string()}, build.folder / "entry.txt"}};
  if (auto run = RunJobs(jobs, 1, [](const Job&) {}); !run.ok()) return std::move(run).error();
  objects.push_back(entry);
  const fs::path linked = build.folder / "driver.so";
  jobs = {{LinkCommand(kit, build, command, objects, linked), build.folder / "link.txt"}};
  if (auto run = RunJobs(jobs, 1, [](const Job&) {}); !run.ok()) return std::move(run).error();
  missing.AddLinker(OutputOf(jobs.front()));
  if (jobs.front().code != 0 || !missing.empty()) return false;
  std::error_code error;
  fs::copy_file(linked, output, fs::copy_options::overwrite_existing, error);
  if (error) return Fail(ErrorKind::kIo, "{} cannot be written: {}.", output.string(), error.message());
  return true;
}

Result<DriverBuildResult> Build(const DriverBuildCommand& command) {
  const auto kit = FindDriverKit();
  if (!kit.ok()) return kit.error();
  const auto project = ProjectOf(command);
  if (!project.ok()) return project.error();
  const auto temporary = command.keep.empty() ? TemporaryFolder::Create("driver") : TemporaryFolder::Keep(command.keep);
  if (!temporary.ok()) return temporary.error();
  const BuildFolder build{temporary->path()};
  if (const auto written = WriteBuildFolder(*kit, *project, build); !written.ok()) return written.error();

  DriverBuildResult result;
  result.sources = project->sources.size();
  std::vector<Job> jobs;
  std::vector<fs::path> objects;
  for (std::size_t i = 0; i < project->sources.size(); ++i) {
    objects.push_back(ObjectOf(build, i));
    jobs.push_back({CompileCommand(*kit, *project, build, command, project->sources[i], objects.back()),
                    build.folder / (std::to_string(i) + ".txt")});
  }
  {
    Progress progress(jobs.size());
    const auto finished = [&](const Job& job) { progress.Step(fs::path(job.words[job.words.size() - 3]).filename().string()); };
    const auto run = RunJobs(jobs, std::thread::hardware_concurrency(), finished);
    if (!run.ok()) return WithPackage(run.error());
  }
  for (const Job& job : jobs) {
    if (job.code == 0) {
      ++result.compiled;
    } else {
      result.missing.AddCompiler(OutputOf(job));
    }
  }
  if (result.compiled < result.sources) return result;
  const fs::path output = command.output.empty() ? fs::path(project->name + ".so") : fs::path(command.output);
  const auto linked = Link(*kit, build, command, std::move(objects), output, result.missing);
  if (!linked.ok()) return WithPackage(linked.error());
  if (*linked) result.output = output.string();
  return result;
}

}  // namespace

int DriverBuild(const DriverBuildCommand& command) {
  const auto result = Build(command);
  if (!result.ok()) {
    std::fprintf(stderr, "tandem driver build: %s\n", Printable(result.error().message).c_str());
    return kExitFailure;
  }
  const bool json = command.format == ListFormat::kJson;
  std::fputs((json ? DriverBuildJson(*result) : DriverBuildText(*result, StyleOfStandardOutput())).c_str(), stdout);
  return result->output.empty() ? kExitFailure : kExitOk;
}

}  // namespace tandem::cli
