// The headers in the compiler modes of Windows drivers; clang parses this file without building it.
#include <d3dkmthk.h>
#include <d3dumddi.h>
#include <dispmprt.h>

#if __SIZEOF_WCHAR_T__ == 2
static const WCHAR kLiteral[] = L"a wide literal fits";
static PCWSTR Text() { return kLiteral; }
int main() { return Text()[0]; }
#endif
