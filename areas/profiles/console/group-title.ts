import { attributeGroups } from '#areas/users/attributes.ts'

/** What people call a group of attributes. */
export const titleOfGroup = (group: string): string => Object.entries(attributeGroups).find(([name]) => name === group)?.[1].title ?? group
