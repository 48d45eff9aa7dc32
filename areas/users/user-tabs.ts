// A person's page has room for what the rooms above know of the person: they offer a tab, and this room need not
// know them.

import type { ComponentType, LazyExoticComponent } from 'react'
import { offersTo } from '#core/console/rooms.ts'
import type { Needs } from '#core/contract/permissions.ts'
import { slot } from '#core/contract/slots.ts'

export type UserTab = { key: string; label: string; needs?: Needs; load: LazyExoticComponent<ComponentType<{ userId: string }>> }

export const userTabSlot = slot<UserTab>('users: tabs of a person’s page')

/** A part of the page on which a person is edited, below the account. */
export type UserEditPart = { key: string; load: LazyExoticComponent<ComponentType<{ userId: string }>> }
export const userEditSlot = slot<UserEditPart>('users: parts of the page on which a person is edited')
export const userEditParts = (): readonly UserEditPart[] => offersTo(userEditSlot)

export const userTabs = (): readonly UserTab[] => offersTo(userTabSlot)
