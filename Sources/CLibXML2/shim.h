#pragma once
#include <libxml/xmlversion.h>
// Debian's headers would include ICU's, which clash with the copy inside Foundation.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/dict.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/relaxng.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlschemastypes.h>
