export const mailWords = {
  recalled: {
    subject: 'Passes to take back from somebody who left',
    text: 'The account of {holder} was disabled, and these passes ended with it: {passes}. They are still out: take them back.',
  },
} as const
