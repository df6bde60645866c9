/** Stylesheets Vite puts into the page: files, and the one of all pages, which config/vite.config.ts makes of
 *  ../style.ts. */
declare module '*.css';
declare module 'virtual:house.css';
