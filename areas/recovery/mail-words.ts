export const mailWords = {
  passkey: {
    subject: 'Sign in with your passkey',
    text: 'Hello {name},\n\nsomebody, perhaps you, asked to reset the password of {username} at {tenancy}. A passkey protects this account, so a mail cannot reset its password. Sign in with the passkey. If you have lost it, ask your administrator.',
  },
  reset: {
    subject: 'Reset your password',
    text: 'Hello {name},\n\nsomebody, perhaps you, asked to reset the password of {username} at {tenancy}. Open this link to choose a new one. It works once, for {minutes} minutes. If it was not you, do nothing: your password stays as it is.',
  },
  done: {
    subject: 'Your password was reset',
    text: 'Hello {name},\n\nthe password of {username} was reset by mail just now. All its sessions and API tokens have ended. If that was not you, tell your administrator at once.',
  },
} as const
