/** What the English messages are in German (build/translations-plugin.ts). */
declare module 'virtual:translations/de' {
  export const messages: Record<string, string>
  /** The messages that a sentence of the server can be known by, and what each is in German. */
  export const pairs: readonly (readonly [string, string])[]
}
