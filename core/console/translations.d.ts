/** What the English messages are in German (build/translations-plugin.ts). */
declare module 'virtual:translations/de' {
  export const messages: Record<string, string>
}
