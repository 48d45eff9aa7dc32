import { AddProfile } from './AddProfile.tsx'

export const AddScep = () => <AddProfile protocol="scep" />
