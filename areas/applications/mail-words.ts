export const mailWords = {
  ended: {
    subject: 'The application {name} has ended',
    text: 'The application {name} came to its end and is refused from now on. Give it a later end where it should go on.',
  },
  ending: {
    subject: 'The application {name} ends soon',
    text: 'The application {name} ends on {end} and is refused from then on. Give it a later end where it should go on.',
  },
  ownerless: {
    subject: 'Applications need another owner',
    text: 'The account that owns these applications was disabled: {names}. They go on working. Give each another owner, or switch it off.',
  },
} as const
