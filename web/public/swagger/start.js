// The page at /api/docs: Swagger UI over the API's own description.
window.SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  // The check of Swagger's makers is a request to somebody else.
  validatorUrl: null,
});
