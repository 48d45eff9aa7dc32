import { AddProfile } from './AddProfile.tsx'

export const AddWindows = () => <AddProfile protocol="windows" />
