#include "cli/run.h"

#include <cstdio>
#include <string>

#include "base/printable.h"
#include "cli/bypass.h"
#include "cli/child_process.h"
#include "cli/driver_crash_text.h"
#include "cli/exit_codes.h"
#include "cli/opengl.h"
#include "cli/run_environment.h"
#include "cli/run_figures.h"
#include "config/settings.h"
#include "status/run_note.h"
#include "system/output_factory.h"

namespace tandem::cli {
namespace {

int Complain(const Error& error, int code) {
  std::fprintf(stderr, "tandem run: %s\n", error.message.c_str());
  return code;
}

int ExitCodeFor(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound: return kExitNotFound;
    case ErrorKind::kUnsupported: return kExitNotExecutable;
    default: return kExitFailure;
  }
}

// The end of the program's driver, or its frames that Tandem did not see, are told on standard error.
void Tell(const status::RunNote& note, const ProgramEnd& end, const std::string& program) {
  if (note.driver_crash) {
    std::fprintf(stderr, "tandem run: %s", CrashText(*note.driver_crash).c_str());
  } else if (end.signal == 0) {
    const std::string sentence = BypassSentence(note, program);
    if (!sentence.empty()) std::fprintf(stderr, "tandem run: %s\n", sentence.c_str());
  }
}

}  // namespace

int Run(const RunCommand& command) {
  const config::Settings settings = WithAbsolutePaths(command.traced.settings);
  for (const std::string& notice : command.traced.notices) std::fprintf(stderr, "tandem run: %s\n", Printable(notice).c_str());
  const auto render = CheckBeforeStart(settings);
  if (!render.ok()) return Complain(render.error(), kExitFailure);
  const auto gl = ChooseOpenGl(settings.gl, command.program[0], OpenGlPlacesHere());
  if (!gl.ok()) return Complain(gl.error(), kExitFailure);
  if (gl->missing) std::fprintf(stderr, "tandem run: The program draws without zink. %s\n", Printable(gl->reason).c_str());
  auto figures = RunFigures::Create(settings);
  if (!figures.ok()) return Complain(figures.error(), kExitFailure);
  const auto output = system::CheckOutputFile(settings.output);
  if (!output.ok()) return Complain(output.error().Context("--output"), kExitFailure);
  auto environment = EnvironmentFor(settings, command.traced, *render, *gl);
  if (!environment.ok()) return Complain(environment.error(), kExitFailure);
  (*figures)->AddTo(*environment);
  const auto note = status::RunNoteFile::Create();
  if (note.ok()) environment->push_back(std::string(status::kRunNoteVariable) + "=" + note->path());
  const auto end = RunProgram(command.program, *environment, [&figures] { (*figures)->Started(); });
  if (!end.ok()) return Complain(end.error(), ExitCodeFor(end.error().kind));
  if (note.ok()) Tell(note->Read(), *end, command.program[0]);
  (*figures)->CompleteAfter(*end, command.program[0]);
  return end->code;
}

}  // namespace tandem::cli
