// tandem-window: Tandem for people who would rather click.
#include "desktop/window/window.h"

int main(int argc, char** argv) { return tandem::desktop::ShowWindow(argc, argv); }
