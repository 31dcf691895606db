// Loads libxml2 when one of its functions is first called. A new function that XMLIO calls needs a line here.
#if __linux__
#include <LibraryLoading.h>

#pragma GCC visibility push(hidden)
#include "../CLibXML2/shim.h"

#define LIBRARY LIBXML_VERSION < 21400 ? "libxml2.so.2" : "libxml2.so.16"

FORWARD(
    xmlParserCtxtPtr, xmlCreatePushParserCtxt,
    (xmlSAXHandlerPtr a, void *b, const char *c, int d, const char *e),
    (a, b, c, d, e)
)
FORWARD(int, xmlCtxtUseOptions, (xmlParserCtxtPtr a, int b), (a, b))
FORWARD(const xmlChar *, xmlDictLookup, (xmlDictPtr a, const xmlChar *b, int c), (a, b, c))
FORWARD(void, xmlFreeDoc, (xmlDocPtr a), (a))
FORWARD(void, xmlFreeNode, (xmlNodePtr a), (a))
FORWARD(void, xmlFreeParserCtxt, (xmlParserCtxtPtr a), (a))
FORWARD(void, xmlInitParser, (void), ())
FORWARD(int, xmlParseChunk, (xmlParserCtxtPtr a, const char *b, int c, int d), (a, b, c, d))
FORWARD(void, xmlRelaxNGFree, (xmlRelaxNGPtr a), (a))
FORWARD(void, xmlRelaxNGFreeParserCtxt, (xmlRelaxNGParserCtxtPtr a), (a))
FORWARD(void, xmlRelaxNGFreeValidCtxt, (xmlRelaxNGValidCtxtPtr a), (a))
FORWARD(int, xmlRelaxNGInitTypes, (void), ())
FORWARD(xmlRelaxNGParserCtxtPtr, xmlRelaxNGNewMemParserCtxt, (const char *a, int b), (a, b))
FORWARD(xmlRelaxNGValidCtxtPtr, xmlRelaxNGNewValidCtxt, (xmlRelaxNGPtr a), (a))
FORWARD(xmlRelaxNGPtr, xmlRelaxNGParse, (xmlRelaxNGParserCtxtPtr a), (a))
FORWARD(
    void, xmlRelaxNGSetParserStructuredErrors,
    (xmlRelaxNGParserCtxtPtr a, xmlStructuredErrorFunc b, void *c),
    (a, b, c)
)
FORWARD(
    void, xmlRelaxNGSetValidStructuredErrors,
    (xmlRelaxNGValidCtxtPtr a, xmlStructuredErrorFunc b, void *c),
    (a, b, c)
)
FORWARD(int, xmlRelaxNGValidateFullElement, (xmlRelaxNGValidCtxtPtr a, xmlDocPtr b, xmlNodePtr c), (a, b, c))
FORWARD(int, xmlRelaxNGValidatePopElement, (xmlRelaxNGValidCtxtPtr a, xmlDocPtr b, xmlNodePtr c), (a, b, c))
FORWARD(int, xmlRelaxNGValidatePushCData, (xmlRelaxNGValidCtxtPtr a, const xmlChar *b, int c), (a, b, c))
FORWARD(int, xmlRelaxNGValidatePushElement, (xmlRelaxNGValidCtxtPtr a, xmlDocPtr b, xmlNodePtr c), (a, b, c))
FORWARD(void, xmlSAX2Characters, (void *a, const xmlChar *b, int c), (a, b, c))
FORWARD(void, xmlSAX2EndElementNs, (void *a, const xmlChar *b, const xmlChar *c, const xmlChar *d), (a, b, c, d))
FORWARD(void, xmlSAX2StartDocument, (void *a), (a))
FORWARD(
    void, xmlSAX2StartElementNs,
    (void *a, const xmlChar *b, const xmlChar *c, const xmlChar *d, int e, const xmlChar **f, int g, int h,
     const xmlChar **i),
    (a, b, c, d, e, f, g, h, i)
)
FORWARD(__typeof__(xmlSchemaInitTypes()), xmlSchemaInitTypes, (void), ())
FORWARD(void, xmlSetExternalEntityLoader, (xmlExternalEntityLoader a), (a))
FORWARD(void, xmlStopParser, (xmlParserCtxtPtr a), (a))
FORWARD(void, xmlUnlinkNode, (xmlNodePtr a), (a))
#endif
