// Decodes the bytes of a text file. PowerShell writes UTF-16 where others write UTF-8, so that each letter has a zero byte beside it.

/** The text of a file in UTF-8 or UTF-16, with or without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes)
}

function encodingOf([first, second, third, fourth]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && third !== 0 && fourth === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && third === 0 && fourth !== 0)) return 'utf-16be'
  return 'utf-8'
}

/** Whether a file in UTF-16 begins here. */
export const isUtf16 = (bytes: Uint8Array): boolean => encodingOf(bytes) !== 'utf-8'
