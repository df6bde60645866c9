/** Stylesheets that Vite adds to the page: files, and the one shared by all pages, which
 *  config/vite.config.ts generates from ../style.ts. */
declare module '*.css';
declare module 'virtual:house.css';
