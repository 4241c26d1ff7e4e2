// Blits that convert an image on its way into a buffer.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require

#define SOURCE_IS_IMAGE
#include "blit.glsl"
