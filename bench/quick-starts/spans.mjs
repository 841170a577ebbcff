// The quick start of OpenTelemetry: a span through the exporter that the environment configures.
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { step } from "./step.mjs";

const provider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
});
provider.getTracer("quick-start").startSpan("span").end();
await step("shutdown", () => provider.shutdown());
