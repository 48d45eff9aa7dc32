// What an import says of rows that it does not take.

export const importWords = {
  noSuchId: { says: 'There is no user with this id. Leave it empty to add one' },
  usernameStays: { says: 'An import changes no usernames' },
  addressTaken: { says: 'Somebody else here has this e-mail address' },
  nobodyMeant: { says: 'Nobody here is meant by this row, and only people who are here are changed' },
  isHere: { says: 'This person is here already, and only new people are added' },
  rolesStay: { says: 'An import changes no roles of people who are here' },
  ownName: { says: 'What names oneself is changed by somebody else' },
  mayDoMore: { says: 'This person may do more than you' },
  usernameTaken: { says: 'This username is taken' },
  used: { says: 'Somebody uses the account by now, so it stays' },
} as const
