// Draws frames of pattern.h with OpenGL ES in an X11 window. The program knows neither Vulkan nor Tandem.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <xcb/xcb.h>

#include <CLI/CLI.hpp>

#include "tests/programs/pattern.h"

namespace {

constexpr int kExitNoOpenGl = 3;

// A texel for each pixel, the first row on top.
constexpr const char* kVertexShader = R"(
attribute vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }
)";
constexpr const char* kFragmentShader = R"(
precision highp float;
uniform sampler2D picture;
uniform vec2 extent;
void main() { gl_FragColor = texture2D(picture, vec2(gl_FragCoord.x, extent.y - gl_FragCoord.y) / extent); }
)";

[[noreturn]] void GiveUp(const char* sentence) {
  std::fprintf(stderr, "%s\n", sentence);
  std::exit(kExitNoOpenGl);
}

struct Surface {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLSurface surface = EGL_NO_SURFACE;
};

std::uint32_t MapWindow(xcb_connection_t* connection, std::uint32_t visual, std::uint16_t width, std::uint16_t height) {
  const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
  const std::uint32_t window = xcb_generate_id(connection);
  xcb_create_window(connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, width, height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                    visual, 0, nullptr);
  xcb_map_window(connection, window);
  std::free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nullptr));
  return window;
}

// The first configuration whose visual is that of the root window.
EGLConfig ConfigOfRoot(EGLDisplay display, std::uint32_t visual) {
  constexpr std::array<EGLint, 9> kWanted{
      EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 0, EGL_NONE};
  std::array<EGLConfig, 128> configs{};
  EGLint count = 0;
  eglChooseConfig(display, kWanted.data(), configs.data(), configs.size(), &count);
  for (EGLint i = 0; i < count; ++i) {
    EGLint own = 0;
    eglGetConfigAttrib(display, configs[static_cast<std::size_t>(i)], EGL_NATIVE_VISUAL_ID, &own);
    if (static_cast<std::uint32_t>(own) == visual) return configs[static_cast<std::size_t>(i)];
  }
  GiveUp("EGL has no configuration for the root window's visual.");
}

Surface CreateSurface(xcb_connection_t* connection, std::uint16_t width, std::uint16_t height) {
  Surface made;
  made.display = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, connection, nullptr);
  if (eglInitialize(made.display, nullptr, nullptr) != EGL_TRUE) GiveUp("EGL does not start.");
  std::uint32_t visual = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root_visual;
  const EGLConfig config = ConfigOfRoot(made.display, visual);
  std::uint32_t window = MapWindow(connection, visual, width, height);
  made.surface = eglCreatePlatformWindowSurface(made.display, config, &window, nullptr);
  constexpr std::array<EGLint, 3> kVersion{EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
  const EGLContext context = eglCreateContext(made.display, config, EGL_NO_CONTEXT, kVersion.data());
  if (eglMakeCurrent(made.display, made.surface, made.surface, context) != EGL_TRUE) GiveUp("EGL makes no context.");
  return made;
}

GLuint Compiled(GLenum stage, const char* source) {
  const GLuint shader = glCreateShader(stage);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  return shader;
}

void UseProgram(float width, float height) {
  const GLuint program = glCreateProgram();
  glAttachShader(program, Compiled(GL_VERTEX_SHADER, kVertexShader));
  glAttachShader(program, Compiled(GL_FRAGMENT_SHADER, kFragmentShader));
  glBindAttribLocation(program, 0, "corner");
  glLinkProgram(program);
  glUseProgram(program);
  glUniform2f(glGetUniformLocation(program, "extent"), width, height);
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t frames = 10, width = 64, height = 48;
  CLI::App app{"Draws numbered frames with OpenGL ES."};
  app.add_option("--frames", frames);
  app.add_option("--width", width);
  app.add_option("--height", height);
  CLI11_PARSE(app, argc, argv);
  xcb_connection_t* const connection = xcb_connect(nullptr, nullptr);
  if (xcb_connection_has_error(connection) != 0) GiveUp("There is no X server.");
  const Surface surface = CreateSurface(connection, static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height));
  std::printf("%s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  UseProgram(static_cast<float>(width), static_cast<float>(height));
  constexpr std::array<float, 8> kCorners{-1, -1, 1, -1, -1, 1, 1, 1};
  glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, kCorners.data());
  glEnableVertexAttribArray(0);
  std::vector<std::byte> pixels(std::size_t{width} * height * 4);
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    tandem::test::FillPattern(pixels, width, height, 4, frame);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, static_cast<GLsizei>(width), static_cast<GLsizei>(height), 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, pixels.data());
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    if (eglSwapBuffers(surface.display, surface.surface) != EGL_TRUE) GiveUp("A frame was refused.");
  }
  eglTerminate(surface.display);
  xcb_disconnect(connection);
  return 0;
}
