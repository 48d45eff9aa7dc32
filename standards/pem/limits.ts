/** The largest file of certificates, requests or lists that is read, in bytes. */
export const LARGEST_FILE = 10 * 1024 * 1024
/** The longest text, in characters: such a file as PEM, with 48 bytes a line. */
export const LONGEST_TEXT = Math.ceil(LARGEST_FILE / 48) * 65 + 100
