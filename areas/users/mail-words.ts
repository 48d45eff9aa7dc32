export const mailWords = {
  activation: {
    subject: 'Activate your account',
    made: 'Hello {person},\n\nan account was made for you at {name}. Your username is {username}.\n\nChoose a password and set up your sign-in code here. The link works once, for seven days:',
    madeBy:
      'Hello {person},\n\n{by} has made an account for you at {name}. Your username is {username}.\n\nChoose a password and set up your sign-in code here. The link works once, for seven days:',
  },
} as const
