// WebFetch: the address, what was asked about it, and the answer.
const WEB_FETCH = {
  target: (input) => asText(input.url),

  outcome(call) {
    const meta = metaOf(call);
    return [asText(meta.code), Number.isFinite(meta.bytes) ? bytes(meta.bytes) : ''].filter(Boolean).join(', ');
  },

  show(call) {
    const input = asObject(call.input);
    const meta = metaOf(call);
    const answer = asText(meta.result) || (call.result && !call.result.isError ? resultText(call.result) : '');
    return [
      facts([['address', asText(input.url)], ['asked', asText(input.prompt)],
        ['status', [asText(meta.code), asText(meta.codeText)].filter(Boolean).join(' ')],
        ['size', Number.isFinite(meta.bytes) ? bytes(meta.bytes) : null], ['duration', duration(meta.durationMs)]]),
      answer === '' ? plainResult(call) : longMarkdown(answer),
    ];
  },
};
