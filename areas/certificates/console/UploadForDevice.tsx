import { ForDevice } from './request-pages.tsx'

export function UploadForDevice() {
  return <ForDevice />
}
