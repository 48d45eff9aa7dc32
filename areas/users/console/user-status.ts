export const userStatusWords = { active: 'Active', invited: 'Invited', disabled: 'Disabled' } as const
