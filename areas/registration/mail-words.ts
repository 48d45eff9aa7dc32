export const mailWords = {
  denied: {
    subject: 'Your registration was not accepted',
    text: 'Hello,\n\nyour registration at {name} was not accepted. If you think that this is a mistake, ask those who gave you the address of the page.',
  },
  approved: {
    subject: 'Activate your account',
    text: 'Hello,\n\nyour registration at {name} was accepted. Your username is {username}. Open this link to choose a password. It works once, for seven days.',
  },
  finish: {
    subject: 'Finish your registration',
    text: 'Hello,\n\nsomebody, perhaps you, asked for an account at {name} with this address. Open this link to go on. It works once, for {hours} hours. If it was not you, do nothing.',
  },
} as const
