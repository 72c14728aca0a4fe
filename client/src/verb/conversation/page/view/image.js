// Pictures whose bytes are in the conversation. SVG is left out: it is a document, not a picture.
const PICTURE_TYPES = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

// Returns a picture from base64, or null when its type is not one that is shown.
function dataImage(type, base64) {
  if (typeof type !== 'string' || !PICTURE_TYPES.test(type)) return null;
  const picture = make('img.picture', { alt: `Picture, ${type}, ${bytes(Math.floor(base64.length * 0.75))}` });
  picture.src = `data:${type};base64,${base64}`;
  return picture;
}

// Returns the view of an image block; one that is not in the data is named, never fetched.
function imageOf(block) {
  const source = asObject(block.source);
  const picture = typeof source.data === 'string' ? dataImage(source.media_type, source.data) : null;
  return picture ?? note(`Picture that is not shown: ${asText(source.media_type ?? source.type)} ${gist(asText(source.url), 200)}`);
}

// Returns the view of a document block: its text, or what kind of file it is.
function documentOf(block) {
  const source = asObject(block.source);
  const title = asText(block.title) || 'Document';
  if (source.type === 'text') return [note(title), clippedText(asText(source.data))];
  return note(`${title}: ${asText(source.media_type ?? source.type)}, ${bytes(Math.floor(asText(source.data).length * 0.75))}`);
}
