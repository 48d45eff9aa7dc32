import { ForUser } from './request-pages.tsx'

export function UploadForUser() {
  return <ForUser />
}
